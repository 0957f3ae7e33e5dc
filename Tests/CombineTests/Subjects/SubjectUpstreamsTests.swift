import Combine
import InterflowTestSupport
import Testing

@Suite struct SubjectUpstreamsTests {
  private struct Forwarder: Subscriber {
    let combineIdentifier = CombineIdentifier()
    let target: PassthroughSubject<Int, Never>

    func receive(subscription: any Subscription) { target.send(subscription: subscription) }

    func receive(_ value: Int) -> Subscribers.Demand {
      target.send(value)
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
  }

  /// More than a subject keeps without looking which of them have ended.
  @Test func resultsOfUpstreamsThatHaveFinishedWaitForASubscriber() {
    let target = PassthroughSubject<Int, Never>()
    for _ in 0..<20 { Empty<Int, Never>().count().subscribe(Forwarder(target: target)) }
    #expect(target.recorded().values == Array(repeating: 0, count: 20))
  }
}
