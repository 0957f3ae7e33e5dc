import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FlatMapLatestTests {
  @Test func valuesOfTheLatestPublisherAreDelivered() {
    let inner = [PassthroughSubject<String, TestError>(), PassthroughSubject<String, TestError>()]
    let upstream = PassthroughSubject<Int, TestError>()
    let recorder = upstream.flatMapLatest { inner[$0] }.recorded()
    upstream.send(0)
    inner[0].send("a")
    upstream.send(1)
    inner[0].send("b")
    inner[1].send("c")
    upstream.send(completion: .finished)
    #expect(recorder.log == ["a", "c"])
    inner[1].send(completion: .finished)
    #expect(recorder.isFinished)
  }
}
