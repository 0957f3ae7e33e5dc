/// A publisher that delivers recorded values and a completion, to each subscriber from the beginning.
///
/// - Demand: Values are delivered as they are requested, the completion right after the last value, without demand.
/// - Cancellation: Ends the delivery and releases the subscriber.
///
/// ```swift
/// struct Refused: Error {}
/// let record = Record<Int, Refused>(output: [1, 2], completion: .failure(Refused()))
/// ```
public struct Record<Output, Failure: Error>: Publisher {
  /// The values and the completion that are delivered.
  public let recording: Recording

  /// Makes a record of what a closure stores in a recording.
  public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  /// Makes a record of a recording.
  public init(recording: Recording) {
    self.recording = recording
  }

  /// Makes a record of values and a completion.
  public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    // Built on `SequenceSubscription`, as the publisher of a sequence: a recording is an array and a completion.
    var iterator = recording.output.makeIterator()
    guard let first = iterator.next() else {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: recording.completion)
      return
    }
    subscriber.receive(
      subscription: SequenceSubscription(
        sequence: recording.output, iterator: iterator, next: first, downstream: subscriber,
        completion: recording.completion, isRecord: true))
  }

  /// The values and the completion of a record.
  public struct Recording {
    /// The kind of values that the recording receives.
    public typealias Input = Output

    /// The values.
    public private(set) var output: [Output]
    /// The completion: `.finished`, unless another is received.
    public private(set) var completion: Subscribers.Completion<Failure>

    private var isComplete = false

    private enum CodingKeys: CodingKey {
      case output, completion
    }

    /// Makes a recording without values that finishes.
    public init() {
      self.init(output: [], completion: .finished)
    }

    /// Makes a recording of values and a completion.
    public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
      self.output = output
      self.completion = completion
    }

    /// Adds a value. Traps after a completion has been received.
    public mutating func receive(_ input: Input) {
      precondition(!isComplete, "a recording cannot receive a value after its completion")
      output.append(input)
    }

    /// Sets the completion. Traps if a completion has been received already.
    public mutating func receive(completion: Subscribers.Completion<Failure>) {
      precondition(!isComplete, "a recording cannot receive a second completion")
      isComplete = true
      self.completion = completion
    }
  }
}

extension Record: Codable where Output: Codable, Failure: Codable {}
extension Record: Sendable where Output: Sendable {}
extension Record.Recording: Sendable where Output: Sendable {}

extension Record.Recording: Codable where Output: Codable, Failure: Codable {
  /// Decodes a recording. It is complete: it accepts no further values and no other completion.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      output: try container.decode([Output].self, forKey: .output),
      completion: try container.decode(Subscribers.Completion<Failure>.self, forKey: .completion))
    isComplete = true
  }

  /// Encodes the recording, as `encode(to:)` does.
  public func encode(into encoder: any Encoder) throws {
    try encode(to: encoder)
  }
}
