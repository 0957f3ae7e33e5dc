import Combine
import InterflowTestSupport
import Testing

@Suite struct CountTests {
  @Test func numberOfValuesIsDelivered() {
    #expect(["a", "b", "c"].publisher.eraseToAnyPublisher().count().recorded().log == ["3", "finished"])
    #expect(Empty<Int, Never>().count().recorded().log == ["0", "finished"])
  }

  @Test func equalUpstreamsMakeEqualPublishers() {
    #expect(Publishers.Count(upstream: Just(1)) == Publishers.Count(upstream: Just(1)))
    #expect(Publishers.Count(upstream: Just(1)) != Publishers.Count(upstream: Just(2)))
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Count") { upstream, _ in upstream.count() }
  }
}
