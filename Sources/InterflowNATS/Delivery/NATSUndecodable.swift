/// What happens with a message that is no value of the type.
public enum NATSUndecodable: Sendable, Hashable {
  /// The publisher or the sequence fails, with ``NATSError/Kind/undecodable``. The message and those behind it go back
  /// to the stream.
  case fail
  /// The message is left out, and will not come again.
  case skip
  /// The message's bytes are sent on to a subject, and the message itself will not come again.
  ///
  /// A consumer of a stream fails where no stream has the subject, and sends the bytes again where no answer comes or the
  /// stream has no leader, the latter for a minute, so that they may be stored twice. For revisions of a bucket, they are
  /// sent at most once, and ``NATSConnection/errors`` reports those that the connection does not take; for messages of a
  /// ``NATSSubject``, ``NATSSubject/unsent`` counts them.
  case deadLetter(subject: String)
}
