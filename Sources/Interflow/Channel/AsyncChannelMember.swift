import Combine
import InterflowPrimitives

/// One subscriber of a channel, and its subscription.
@usableFromInline
final class AsyncChannelMember: Subscription, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  /// The subscriber. The closures are formed where its type is known, so that their bodies are specialised.
  @usableFromInline
  struct Downstream {
    /// Returns `nil` if the subscriber has told that it did not take the value.
    @usableFromInline let deliver: (AsyncChannelSender) -> Subscribers.Demand?
    @usableFromInline let complete: (Subscribers.Completion<any Error>) -> Void

    @inlinable
    init<S: Subscriber>(_ subscriber: S) {
      // Of the subscribers, only an inbox can tell that it had ended before the value arrived.
      let inbox = (subscriber as? AsyncInboxSubscriber<S.Input, S.Failure>)?.inbox
      deliver = {
        // All senders of a channel have its output type.
        guard let value = unsafeDowncast($0, to: AsyncChannelSenderOf<S.Input>.self).value else { return nil }
        guard let inbox else { return subscriber.receive(value) }
        return inbox.receive(value) ? Subscribers.Demand.none : nil
      }
      complete = { completion in
        switch completion {
        case .finished: subscriber.receive(completion: .finished)
        case .failure(let error):
          guard let error = error as? S.Failure else {
            preconditionFailure("a channel that fails with \(S.Failure.self) was completed with \(error)")
          }
          subscriber.receive(completion: .failure(error))
        }
      }
    }
  }

  // Guarded by the storage's `lock`: all variables.
  /// The demand that has not been met.
  var demand = Subscribers.Demand.none
  /// Whether `receive(subscription:)` has returned, so that other signals may be delivered.
  var isOpen = false
  var downstream: Downstream?
  private let storage: AsyncChannelStorage

  @usableFromInline
  init(_ storage: AsyncChannelStorage, _ downstream: Downstream) {
    self.storage = storage
    self.downstream = downstream
  }

  /// Whether a value may be delivered to the subscriber.
  var isReady: Bool { isOpen && demand != .none }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    precondition(demand != .none, "a request must ask for at least one value")
    storage.request(demand, for: self)
  }

  @usableFromInline
  func cancel() {
    storage.remove(self)
  }

  @usableFromInline var description: String { "AsyncChannel" }
  @usableFromInline var playgroundDescription: Any { description }
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
