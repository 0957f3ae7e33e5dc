import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct OutputTests {
  @Test func rules() async throws {
    try await expectRules([1, 2, 3], pulls: [2, 3, 4], madeBeforeFailure: 2) { $0.output(in: 1...) }
    try await expectEndWhenCancelled(Endless<Int>().output(in: 1...2))
  }

  @Test func asASliceOfAnArray() async throws {
    try await randomLists(seed: 16) { list, number in
      let last = min(number + 2, list.count)
      #expect(await Array(list.async.output(in: number...(number + 2))) == Array(list.dropFirst(number).prefix(3)))
      #expect(await Array(list.async.output(in: number..<number)).isEmpty)
      #expect(await Array(list.async.output(in: ..<last)) == Array(list[..<last]))
      #expect(await list.async.output(at: number) == (number < list.count ? list[number] : nil))
    }
  }

  @Test func theBaseIsNotAskedAfterTheLastElement() async throws {
    let log = ProbeLog()
    let probe = Probe<Int, TestError>(elements: [1, 2, 3], failure: TestError(), log: log)
    #expect(try await elements(of: probe.output(in: 0...1)) == [1, 2])
    #expect(log.pulls == 2)
    #expect(try await elements(of: probe.output(in: 0..<0)).isEmpty)
    #expect(log.pulls == 2)
    #expect(try await probe.output(at: 0) == 1)
    #expect(log.pulls == 3)
    await #expect(throws: TestError.self) { try await probe.output(at: 3) }
  }

  @Test func theRangeEndsWithItsLastElement() throws {
    let timeline = TestTimeline()
    try timeline.expect(try timeline.sequence("a-b-c-d-|").output(in: 1...2), toEmit: "--b-(c|)")
  }

  @Test func negativeNumbersTrap() async {
    await #expect(processExitsWith: .failure) { _ = await [1].async.output(at: -1) }
    await #expect(processExitsWith: .failure) { _ = [1].async.output(in: -1...1) }
  }

  @Test func types() {
    let _: any AsyncSequence<Int, Never> = [1].async.output(in: 1...)
    expectSendable([1].async.output(in: 1...))
  }
}
