import Combine
import Testing

@Suite("Subscriptions")
struct SubscriptionsTests {
  @Test func theEmptySubscriptionDoesNothing() {
    let empty = Subscriptions.empty
    empty.request(.unlimited)
    empty.request(.none)
    empty.cancel()
    empty.cancel()
  }

  @Test func theEmptySubscriptionIsAlwaysTheSame() {
    #expect(Subscriptions.empty.combineIdentifier == Subscriptions.empty.combineIdentifier)
  }

  @Test func theEmptySubscriptionDescribesItself() {
    #expect("\(Subscriptions.empty)" == "Empty")
    #expect(Mirror(reflecting: Subscriptions.empty).children.isEmpty)
    #expect(
      (Subscriptions.empty as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription as? String == "Empty")
  }
}
