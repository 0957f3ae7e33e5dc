import Combine

/// The subscription that the subscriber retains. The task retains only the storage. So when the subscription is
/// released and nothing more can be requested, the task ends instead of waiting for demand forever.
@usableFromInline
final class AsyncSequenceSubscription<Elements: AsyncSequence, Downstream: Subscriber>: Subscription,
  CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible
where Downstream.Input == Elements.Element, Downstream.Failure == Elements.Failure {
  private let storage: AsyncSequenceStorage<Elements, Downstream>

  @usableFromInline
  init(_ storage: AsyncSequenceStorage<Elements, Downstream>) {
    self.storage = storage
  }

  deinit {
    storage.abandon()
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    storage.request(demand)
  }

  @usableFromInline
  func cancel() {
    storage.cancel()
  }

  @usableFromInline var description: String { "AsyncSequence" }
  @usableFromInline var playgroundDescription: Any { description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
