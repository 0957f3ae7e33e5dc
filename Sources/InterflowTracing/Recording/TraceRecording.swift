/// What a recorder has recorded: lanes, each with the subscriptions of one name.
///
/// ```swift
/// let recording = TraceRecorder.shared.recording()
/// for finding in recording.findings { print(finding) }
/// try recording.html().write(to: file, atomically: true, encoding: .utf8)
/// ```
public struct TraceRecording: Sendable {
  /// When the recording began, in nanoseconds since 1970, by the calendar's clock.
  let startDate: Int64
  /// How long the recording took.
  public let duration: Duration
  /// How many events were dropped, the oldest first, since there were more than the recorder's capacity.
  public let droppedCount: Int
  /// The lanes, in the order in which they began.
  public let lanes: [Lane]
  /// What was measured, such as the statements of a database, in the order in which it ended.
  public let work: [Work]

  /// The subscriptions of one name.
  public struct Lane: Codable, Sendable {
    /// The name.
    public internal(set) var name: String
    /// The subscriptions, in the order in which they began.
    public internal(set) var subscriptions: [Subscription]

    /// How many values came, of which the recording has the events.
    public var valueCount: Int { subscriptions.reduce(0) { $0 + $1.valueCount } }
  }

  /// One subscription of a publisher, or one iteration of a sequence.
  public struct Subscription: Sendable {
    /// The number of the subscription in this recording, from 1 on.
    public internal(set) var number: Int
    /// The events, in order. The oldest may have been dropped.
    public var events: [Event] { records.map(Event.init) }
    /// Whether it had not ended when the recording was made or had ended.
    public internal(set) var isLive = false
    /// Whether values were ever requested.
    public internal(set) var hasRequested = false

    var records: [EventRecord] = []

    /// How many values came.
    public var valueCount: Int { records.reduce(0) { $0 + ($1.kind == .value ? 1 : 0) } }
  }

  /// What happened once.
  public struct Event: Hashable, Sendable {
    /// The time since the beginning of the recording.
    public var time: Duration
    /// What happened.
    public var kind: Kind
    /// The number of the thread, from 1 on. After 65,535 threads, numbers come again.
    public var thread: Int
    /// The value whose delivery was under way on the thread when this value came: what it became of, if not more.
    public var cause: ValueIdentity?

    /// What can happen.
    public enum Kind: Hashable, Sendable {
      /// A subscriber was attached, or an iteration began.
      case subscribed
      /// The first signal in this recording of a subscription that was there before.
      case joined
      /// Values were requested: so many, or nil for any number.
      case requested(Int?)
      /// A value came, the so-and-so-many-th of its subscription.
      case value(Text?, number: Int)
      /// The subject that the stream is of had a value for which there was no demand, and dropped it.
      ///
      /// Only `PassthroughSubject` of this package tells so, and only to `traced` that is applied to the subject itself.
      case dropped
      /// The stream finished.
      case finished
      /// The stream failed.
      case failed(Text?)
      /// The subscriber cancelled, or the task that iterates was cancelled.
      case cancelled
      /// The subscriber or the iterator was released without an end.
      case released
    }
  }

  /// A value or an error, as text.
  public struct Text: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The text, or its beginning.
    public var description: String
    /// Whether there was more of it.
    public var isCut: Bool

    /// Makes a text.
    public init(_ description: String, isCut: Bool = false) {
      self.description = description
      self.isCut = isCut
    }
  }

  /// Which value of a recording.
  public struct ValueIdentity: Hashable, Sendable {
    /// The number of the subscription.
    public var subscription: Int
    /// The number of the value in it.
    public var number: Int

    /// Makes an identity.
    public init(subscription: Int, number: Int) {
      self.subscription = subscription
      self.number = number
    }
  }

  /// Work that was measured.
  public struct Work: Hashable, Codable, Sendable {
    /// The name under which it was recorded.
    public var name: String
    /// What was done, such as a statement.
    public var text: String
    /// What it shares with other work that belongs to it, such as a message that was received with one that was sent; the
    /// first 24 bytes.
    public var id: String?
    /// When it began, since the beginning of the recording.
    public var start: Duration
    /// How long it took.
    public var duration: Duration
    /// Why it failed, if it did.
    public var failure: Text?
    /// The number of the thread.
    public var thread: Int
  }
}
