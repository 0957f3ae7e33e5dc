import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct BreakpointTests {
  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) {
      $0.breakpoint(receiveOutput: { _ in false }, receiveCompletion: { _ in false })
    }
    #expect(await Array(ready([1]).breakpointOnError()) == [1])
  }

  @Test func itStopsWhereAClosureSaysSo() async {
    await #expect(processExitsWith: .failure) {
      for await _ in ready([1]).breakpoint(receiveOutput: { $0 == 1 }) {}
    }
    await #expect(processExitsWith: .failure) {
      for await _ in ready([1]).breakpoint(receiveCompletion: { _ in true }) {}
    }
    await #expect(processExitsWith: .failure) {
      _ = await collect(ready([1], failure: TestError("a")).breakpointOnError())
    }
  }
}
