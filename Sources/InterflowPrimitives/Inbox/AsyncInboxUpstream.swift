/// Where an ``AsyncInbox`` gets its values from. Both methods may be called from any thread.
@usableFromInline
package protocol AsyncInboxUpstream: SendableMetatype {
  /// Requests values in addition to those requested before; `Int.max` stands for no limit.
  func request(_ count: Int)

  /// Asks for nothing more, ever.
  func cancel()
}
