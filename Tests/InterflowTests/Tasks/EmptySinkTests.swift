import Interflow
import Testing

@Suite struct EmptySinkTests {
  @Test func runsThePipelineUntilItIsCancelled() {
    let subject = PassthroughSubject<Int, TestError>()
    var seen: [Int] = []
    let cancellable = subject.map { seen.append($0) }.emptySink()
    subject.send(1)
    cancellable.cancel()
    subject.send(2)
    #expect(seen == [1])
  }
}
