import Combine
import InterflowPrimitives

/// One subscriber of a channel.
final class AsyncChannelSubscription<Output, Failure: Error>: Subscription, AsyncChannelMember,
  CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible
{
  typealias Storage = AsyncChannelStorage<Output, Failure>

  // Guarded by the storage's `lock`: all but the reference to the storage.
  var isOpen = false
  var demand = Subscribers.Demand.none
  var downstream: (any Subscriber<Output, Failure>)?
  private let storage: Storage

  init(_ storage: Storage, _ downstream: any Subscriber<Output, Failure>) {
    self.storage = storage
    self.downstream = downstream
  }

  func request(_ demand: Subscribers.Demand) {
    precondition(demand != .none, "a request must ask for at least one value")
    storage.request(demand, by: self)
  }

  func cancel() {
    storage.leave(self)
  }

  var description: String { "AsyncChannel" }
  var playgroundDescription: Any { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
