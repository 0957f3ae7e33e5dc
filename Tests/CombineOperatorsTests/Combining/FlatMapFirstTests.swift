import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FlatMapFirstTests {
  @Test func valuesAreDroppedWhileThePublisherRuns() {
    var inner: [PassthroughSubject<String, TestError>] = []
    let upstream = PassthroughSubject<Int, TestError>()
    let recorder = upstream.flatMapFirst { _ in
      inner.append(PassthroughSubject())
      return inner[inner.count - 1]
    }.recorded()
    upstream.send(0)
    upstream.send(1)
    inner[0].send("a")
    #expect(inner.count == 1)
    inner[0].send(completion: .finished)
    upstream.send(2)
    inner[1].send("b")
    #expect(recorder.log == ["a", "b"])
  }

  @Test func subscribersDoNotDisturbEachOther() {
    let upstream = PassthroughSubject<Int, Never>()
    let publisher = upstream.flatMapFirst { _ in Empty<Int, Never>(completeImmediately: false).prepend(1) }
    let recorders = [publisher.recorded(), publisher.recorded()]
    upstream.send(0)
    upstream.send(0)
    #expect(recorders.map(\.values) == [[1], [1]])
  }
}
