import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct HandleEventsTests {
  /// What the closures have been called with, one text after the other.
  private final class Log: Sendable {
    private let entries = Shared<[String]>([])

    var text: String { entries.value.joined(separator: " ") }

    func callAsFunction(_ entry: String) { entries.update { $0.append(entry) } }

    func observe<Base: AsyncSequence>(_ base: Base) -> AsyncHandleEventsSequence<Base> {
      base.handleEvents(
        receiveSubscription: { self("begin") }, receiveOutput: { self("\($0)") },
        receiveCompletion: { completion in
          switch completion {
          case .finished: self("finished")
          case .failure: self("failed")
          }
        }, receiveCancel: { self("cancel") }, receiveRequest: { self("next") })
    }
  }

  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.handleEvents(receiveOutput: { _ in }) }
    try await expectEndWhenCancelled(Endless<Int>().handleEvents())
  }

  @Test func everythingIsReportedInOrder() async {
    let log = Log()
    for await element in log.observe(ready([1, 2])) { log("got\(element)") }
    #expect(log.text == "begin next 1 got1 next 2 got2 next finished")
  }

  @Test func aFailureIsReportedOnce() async {
    let log = Log()
    var iterator = log.observe(ready([1], failure: TestError("a"))).makeAsyncIterator()
    _ = try? await iterator.next()
    await #expect(throws: TestError("a")) { try await iterator.next() }
    _ = try? await iterator.next()
    #expect(log.text == "begin next 1 next failed")
  }

  @Test func releasingTheIteratorIsACancellation() async {
    let log = Log()
    for await _ in log.observe(ready([1, 2])) { break }
    #expect(log.text == "begin next 1 cancel")
    do { _ = log.observe(ready([1, 2])).makeAsyncIterator() }
    #expect(log.text == "begin next 1 cancel begin cancel")
  }

  @Test func cancellingTheTaskIsReportedOnce() async {
    let log = Log()
    let source = ManualSource<Int, Never>()
    let task = Task { for await _ in log.observe(source) {} }
    await source.requested.wait()
    task.cancel()
    await task.value
    #expect(log.text == "begin next cancel")
  }

  @Test func aCancellationErrorOfACancelledTaskIsACancellation() async {
    let log = Log()
    let base = ready([Int](), failure: CancellationError())
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = await collect(log.observe(base))
    }.value
    #expect(log.text == "begin next cancel")
    let other = Log()
    _ = await collect(other.observe(base))
    #expect(other.text == "begin next failed")
  }

  @Test func theFirstOfSeveralIsTheFirstToReport() {
    let log = Log()
    let sequence = [1].async.handleEvents(receiveSubscription: { log("1") })
      .handleEvents(receiveSubscription: { log("2") })
    _ = sequence.makeAsyncIterator()
    #expect(log.text == "1 2")
  }

  @Test func closuresAreReleasedAtTheEnd() async {
    final class Token: Sendable {}
    var token: Token? = Token()
    weak let observed = token
    var iterator = ready([1]).handleEvents(receiveOutput: { [token] _ in _ = token }).makeAsyncIterator()
    token = nil
    #expect(observed != nil)
    while await iterator.next() != nil {}
    #expect(observed == nil)
  }

  @Test func types() {
    let _: any AsyncSequence<Int, TestError> = ready([1], failure: TestError("a")).handleEvents()
    expectSendable(ready([1]).handleEvents())
  }
}
