@testable import Combine
import InterflowTestSupport
import Testing

@Suite struct DeliveryOwnershipTests {
  /// A subscription that releases its subscriber, as those of this package do.
  private final class Releasing: EngineSubscription {
    override func request(_ demand: Subscribers.Demand) {}
    override func cancel() {}
  }

  private struct Foreign: Subscription {
    let combineIdentifier = CombineIdentifier()

    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}
  }

  /// What holds an ownership, which cannot be copied.
  private final class Holder {
    private let ownership: DeliveryOwnership

    init(isShared: Bool = false) {
      ownership = DeliveryOwnership(isShared: isShared)
    }

    var belongsToDelivery: Bool { ownership.belongsToDelivery }

    func decide(_ link: Link) { ownership.decide(link) }
  }

  private let link = UpstreamLink("Test")

  @Test func theFirstValueDecides() {
    let ownership = Holder()
    ownership.decide(link)
    #expect(!ownership.belongsToDelivery, "nothing is known before the subscription")
    #expect(link.link(Releasing()))
    #expect(!ownership.belongsToDelivery)
    ownership.decide(link)
    #expect(ownership.belongsToDelivery)
  }

  @Test func aSharedSubscriberIsGuardedByTheLock() {
    let ownership = Holder(isShared: true)
    #expect(link.link(Releasing()))
    ownership.decide(link)
    #expect(!ownership.belongsToDelivery)
  }

  @Test func aForeignSubscriptionMayRetainTheSubscriber() {
    let ownership = Holder()
    #expect(link.link(Foreign()))
    ownership.decide(link)
    #expect(!ownership.belongsToDelivery)
  }

  @Test func whatIsUpstreamOfALinkCounts() {
    let (outer, ownership) = (UpstreamLink("Outer"), Holder())
    #expect(link.link(outer))
    #expect(outer.link(Foreign()))
    ownership.decide(link)
    #expect(!ownership.belongsToDelivery)
    outer.cancel()
    ownership.decide(link)
    #expect(!ownership.belongsToDelivery, "it is decided once")
  }

  @Test func nothingBelongsToDeliveryAfterACancellation() {
    let ownership = Holder()
    #expect(link.link(Releasing()))
    link.cancel()
    ownership.decide(link)
    #expect(!ownership.belongsToDelivery)
  }
}
