import Combine
import InterflowPrimitives

/// The subscriber that puts a publisher's values and completion into an inbox, from which async code takes them.
@frozen
@usableFromInline
struct AsyncInboxSubscriber<Input, Failure: Error>: Subscriber, PromptSubscriber {
  @usableFromInline typealias Inbox = AsyncInbox<Input, Failure, SubscriptionUpstream>

  @usableFromInline let inbox: Inbox

  @inlinable
  init(_ inbox: Inbox) {
    self.inbox = inbox
  }

  @inlinable var combineIdentifier: CombineIdentifier { CombineIdentifier(inbox) }

  @inlinable
  func receive(subscription: any Subscription) {
    inbox.link(SubscriptionUpstream(subscription))
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    inbox.receive(input)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: inbox.complete(nil)
    case .failure(let error): inbox.complete(error)
    }
  }
}

/// The upstream of an inbox: forwards demand and cancellation to a subscription.
///
/// An object with closures, because calling those costs less than copying a subscription of unknown type for each call.
@usableFromInline
final class SubscriptionUpstream: AsyncInboxUpstream {
  @usableFromInline let requestDemand: (Subscribers.Demand) -> Void
  @usableFromInline let cancelSubscription: () -> Void

  @inlinable
  init(_ subscription: some Subscription) {
    requestDemand = { subscription.request($0) }
    cancelSubscription = { subscription.cancel() }
  }

  @inlinable
  func request(_ count: Int) {
    requestDemand(count == .max ? .unlimited : .max(count))
  }

  @inlinable
  func cancel() {
    cancelSubscription()
  }
}

extension AsyncInboxIteration where Upstream == SubscriptionUpstream {
  /// Subscribes to a publisher, and requests `prefetch` values whenever all requested before have been taken.
  @inlinable
  convenience init<P: Publisher>(_ publisher: P, prefetch: Int) where P.Output == Element, P.Failure == Failure {
    self.init(AsyncInbox(AsyncInboxStateMachine(batch: prefetch)))
    publisher.subscribe(AsyncInboxSubscriber(inbox))
  }
}
