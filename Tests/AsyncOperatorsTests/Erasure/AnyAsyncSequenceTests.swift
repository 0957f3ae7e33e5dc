import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AnyAsyncSequenceTests {
  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) {
      $0.scan(0) { $1 }.eraseToAnyAsyncSequence()
    }
    try await expectEndWhenCancelled(Endless<Int>().eraseToAnyAsyncSequence())
  }

  @Test func failureAndSendabilityAreKept() async {
    let sequence: AnyAsyncSequence<Int, TestError> = ready([1], failure: TestError("a")).eraseToAnyAsyncSequence()
    expectSendable(sequence)
    let outcome = await collect(sequence)
    #expect(outcome.values == [1] && outcome.error == TestError("a"))
  }

  @Test func eachIterationIsOneOfTheBase() async {
    let base = naturals()
    let erased = AnyAsyncSequence(base)
    for _ in 0..<2 { for await element in erased.prefix(1) { #expect(element == 0) } }
    #expect(base.released.count == 2)
  }

  @Test func anOpaqueTypeKeepsFailureAndSendability() async {
    let sequence: some AsyncSequence<Int, Never> & Sendable = ready([1]).eraseToSomeAsyncSequence()
    expectSendable(sequence)
    #expect(await Array(sequence) == [1])
  }
}
