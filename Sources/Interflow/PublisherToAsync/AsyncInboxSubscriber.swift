import Combine
import InterflowPrimitives

/// Puts what a publisher delivers into an inbox, from which async code takes it.
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

/// A subscription, as an inbox sees it: an object, and closures, because calling those costs less than copying a
/// subscription of unknown kind for the time of the call.
@usableFromInline
final class SubscriptionUpstream: AsyncInboxUpstream {
  @usableFromInline let ask: (Subscribers.Demand) -> Void
  @usableFromInline let stop: () -> Void

  @inlinable
  init(_ subscription: some Subscription) {
    ask = { subscription.request($0) }
    stop = { subscription.cancel() }
  }

  @inlinable
  func request(_ count: Int) {
    ask(count == .max ? .unlimited : .max(count))
  }

  @inlinable
  func cancel() {
    stop()
  }
}

extension AsyncInboxIteration where Upstream == SubscriptionUpstream {
  /// Subscribes to a publisher, to ask it for so many values whenever none is left of those before.
  @inlinable
  convenience init<P: Publisher>(_ publisher: P, prefetch: Int) where P.Output == Element, P.Failure == Failure {
    self.init(AsyncInbox(AsyncInboxStateMachine(batch: prefetch)))
    publisher.subscribe(AsyncInboxSubscriber(inbox))
  }
}
