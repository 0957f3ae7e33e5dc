import Combine

/// What a subscriber to an asynchronous sequence holds: apart from the storage, which the task holds as well, so that
/// a task for which nobody can ask any more does not wait for ever.
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
