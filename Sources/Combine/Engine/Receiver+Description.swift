/// A receiver looks like the subscriber that it stands for.
extension Receiver: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  @usableFromInline var description: String { "\(wrapped)" }

  @usableFromInline var playgroundDescription: Any {
    (wrapped as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription ?? wrapped
  }

  @usableFromInline var customMirror: Mirror { Mirror(reflecting: wrapped) }
}
