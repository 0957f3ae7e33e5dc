/// What happens with a message that is no value of the type.
public enum NATSUndecodable: Sendable, Hashable {
  /// The publisher or the sequence fails, with ``NATSError/Kind/undecodable``.
  case fail
  /// The message is left out, and will not come again.
  case skip
  /// The message's bytes are sent on to a subject, and the message itself will not come again.
  case deadLetter(subject: String)
}
