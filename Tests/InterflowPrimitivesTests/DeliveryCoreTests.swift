import InterflowPrimitives
import InterflowTestSupport
import Testing

@Suite("DeliveryCore")
struct DeliveryCoreTests {
  /// Delivers numbers, and logs what the core has it do.
  private final class Owner: DeliveryOwner {
    let core: DeliveryCore
    var log: [String] = []
    var values: [Int] = []
    var onForward: (UInt) -> Void = { _ in }
    var onDeliver: (Int) -> Void = { _ in }
    private var buffer = DeliveryBuffer<Int, Never>()

    init(_ phase: DeliveryDemand.Phase = .open) {
      core = DeliveryCore(phase)
    }

    func append(_ value: Int) {
      core.lock.lock()
      buffer.append(value, core.demand)
      core.lock.unlock()
    }

    func perform(_ action: DeliveryAction) {
      switch action {
      case .sendSubscription: log.append("subscription")
      case .subscriptionIsSent: log.append("sent")
      case .releaseSubscriber: log.append("released")
      case .releaseValues: log.append("values released")
      case .deliverBuffered:
        while let value = takeNext() { deliver(value) }
        if core.demand.isOver { perform(.releaseValues) }
      }
    }

    private func takeNext() -> Int? {
      core.lock.lock()
      var demand = core.demand
      let next = buffer.takeNext(&demand)
      core.demand = demand
      core.lock.unlock()
      return next
    }

    private func deliver(_ value: Int) {
      values.append(value)
      core.isCallingSubscriber = true
      onDeliver(value)
      core.isCallingSubscriber = false
    }

    func forward(_ more: UInt) {
      log.append("forward \(more)")
      onForward(more)
    }

    func serve() { core.serveHere(self) }
    func requestedDuringDelivery(_ me: UInt) { core.turn.markWork() }
  }

  @Test func aRequestDeliversWhatIsBufferedAndIsForwarded() {
    let owner = Owner()
    for value in 1...3 { owner.append(value) }
    owner.core.request(2, owner)
    #expect(owner.values == [1, 2])
    #expect(owner.log == ["forward 2"])
  }

  @Test func aRequestDuringACallIsServedAfterIt() {
    let owner = Owner()
    for value in 1...3 { owner.append(value) }
    owner.onDeliver = { value in
      owner.core.request(1, owner)
      #expect(owner.values.last == value)
    }
    owner.core.request(1, owner)
    #expect(owner.values == [1, 2, 3])
    #expect(owner.log == ["forward 4"])
  }

  @Test func requestsFromInsideForwardDoNotRecurse() {
    let owner = Owner()
    var depth = 0
    owner.onForward = { more in
      depth += 1
      #expect(depth == 1)
      if more < 1_000 { owner.core.request(more + 1, owner) }
      depth -= 1
    }
    owner.core.request(1, owner)
    #expect(owner.log.count == 1_000)
    #expect(owner.log.last == "forward 1000")
  }

  @Test func demandThatIsForwardedOnceIsNotForwardedAgain() {
    let owner = Owner()
    owner.core.lock.lock()
    owner.core.addUnforwardedWithLock(3)
    owner.core.lock.unlock()
    let me = currentThreadIdentity()
    let taken = owner.core.takeUnforwarded(me)
    #expect(taken == 3)
    owner.core.forwardRequests(me, owner)
    #expect(owner.log == [])
    owner.core.lock.lock()
    owner.core.requestForwarding()
    owner.core.lock.unlock()
    owner.core.forwardRequests(me, owner)
    owner.core.forwardRequests(me, owner)
    #expect(owner.log == ["forward 0"])
  }

  @Test func nothingIsDeliveredBeforeTheSubscriptionIsSent() {
    let owner = Owner(.awaitingSubscription)
    owner.append(1)
    owner.core.request(1, owner)
    #expect(owner.values == [])
    owner.core.sendSubscription(owner)
    #expect(owner.values == [1])
    #expect(owner.log == ["forward 1", "subscription", "sent"])
  }

  @Test func cancellationReleasesOnceAndEndsRequests() {
    let owner = Owner(.awaitingSubscription)
    owner.core.cancel(owner)
    owner.core.cancel(owner)
    owner.core.request(1, owner)
    owner.append(1)
    owner.core.sendSubscription(owner)
    #expect(owner.values == [])
    #expect(owner.log == ["released", "values released", "sent", "values released"])
    let isOver = owner.core.demand.isOver
    #expect(isOver)
  }

  @Test func aCancellationOnAnotherThreadLeavesTheValuesToTheOwnerOfTheTurn() {
    let owner = Owner()
    owner.append(1)
    owner.append(2)
    let box = UncheckedBox(owner)
    owner.onDeliver = { _ in
      #expect(onOtherThread { box.value.core.cancel(box.value) })
      #expect(owner.log == ["released"])
    }
    owner.core.request(2, owner)
    #expect(owner.values == [1])
    #expect(owner.log == ["released", "values released", "values released"])
    let isFree = owner.core.turn.isOwned(by: 0)
    #expect(isFree)
  }
}
