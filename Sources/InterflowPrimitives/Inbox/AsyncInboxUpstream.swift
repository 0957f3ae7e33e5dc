/// The upstream of an ``AsyncInbox``. Both methods may be called from any thread.
@usableFromInline
package protocol AsyncInboxUpstream: SendableMetatype {
  /// Requests values in addition to those requested before; `Int.max` stands for no limit.
  func request(_ count: Int)

  /// Cancels the subscription.
  func cancel()
}
