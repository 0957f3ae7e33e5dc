/// A consumer's reference to its own inbox, which cancels the inbox when it is released.
///
/// Upstream retains the inbox, so the inbox itself is not deallocated when the consumer releases it.
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
