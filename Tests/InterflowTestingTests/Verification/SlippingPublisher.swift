import Foundation
import InterflowTesting

/// A publisher that keeps every rule, but that a completion comes on another thread after a cancellation, so many times:
/// as from a thread that had begun to deliver it, if that happens once, and otherwise from one that disregards
/// cancellations.
struct SlippingPublisher: Publisher {
  typealias Output = Int
  typealias Failure = Broken

  let count: Int
  let slips: Slips

  /// How many completions are still to slip through.
  final class Slips: @unchecked Sendable {  // `lock` guards `count`.
    private let lock = NSLock()
    private var count: Int

    init(_ count: Int) { self.count = count }

    func take() -> Bool {
      lock.withLock {
        guard count > 0 else { return false }
        count -= 1
        return true
      }
    }
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Broken {
    FaultyPublisher(count: count).subscribe(Relay(subscriber, slips))
  }

  private final class Relay<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Int, Downstream.Failure == Broken {
    // One thread subscribes, cancels and requests, as the check does.
    private let slips: Slips
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var isSubscribed = false
    private var slipping: Downstream?

    init(_ downstream: Downstream, _ slips: Slips) {
      self.downstream = downstream
      self.slips = slips
    }

    func receive(subscription: any Subscription) {
      upstream = subscription
      downstream?.receive(subscription: self)
      isSubscribed = true
    }

    func receive(_ input: Int) -> Subscribers.Demand { downstream?.receive(input) ?? .none }

    func receive(completion: Subscribers.Completion<Broken>) {
      let downstream = downstream.take()
      upstream = nil
      downstream?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
      upstream?.request(demand)
      guard let slipping = slipping.take() else { return }
      onAnotherThread { slipping.receive(completion: .finished) }
    }

    func cancel() {
      if isSubscribed, slips.take() { slipping = downstream }
      downstream = nil
      let upstream = upstream.take()
      upstream?.cancel()
    }
  }
}
