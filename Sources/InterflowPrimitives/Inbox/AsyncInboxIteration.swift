/// One consumer's claim to an inbox of its own: the inbox is cancelled when the consumer drops it.
///
/// Upstream holds the inbox, so only an object apart from it can notice that the consumer has gone.
@usableFromInline
package final class AsyncInboxIteration<Element, Failure: Error, Upstream: AsyncInboxUpstream> {
  @usableFromInline package let inbox: AsyncInbox<Element, Failure, Upstream>

  @inlinable
  package init(_ inbox: AsyncInbox<Element, Failure, Upstream>) {
    self.inbox = inbox
  }

  @inlinable
  deinit {
    inbox.cancel()
  }
}
