import Synchronization

/// The subscription of a publisher of one value, which comes with the first request and brings the completion along.
@usableFromInline
final class OnceSubscription<Downstream: Subscriber>: Subscription, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  // `isOver` decides who has the rest to itself: the one request that delivers, or the one cancel that releases.
  @usableFromInline let isOver = Atomic(false)
  @usableFromInline let isCancelled = Atomic(false)
  @usableFromInline let deliver: (OnceSubscription) -> Void
  @usableFromInline @exclusivity(unchecked) var content: (output: Downstream.Input, downstream: Downstream)?
  @usableFromInline let description: String

  @inlinable
  init(_ output: Downstream.Input, _ downstream: Downstream, _ description: String) {
    content = (output, downstream)
    self.description = description
    deliver = { $0.deliverSpecialised() }
  }

  @inlinable
  func deliverSpecialised() {
    guard let (output, downstream) = content.take() else { return }
    _ = downstream.receive(output)
    if !isCancelled.load(ordering: .acquiring) { downstream.receive(completion: .finished) }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { deliver(self) }
  }

  @usableFromInline
  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { content = nil }
  }

  @usableFromInline var playgroundDescription: Any { description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
