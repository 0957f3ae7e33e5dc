/// A publisher that plays back recorded values and a completion, for each subscriber from the beginning.
///
/// ```swift
/// struct Refused: Error {}
/// let record = Record<Int, Refused>(output: [1, 2], completion: .failure(Refused()))
/// ```
public struct Record<Output, Failure: Error>: Publisher {
  /// What is played back.
  public let recording: Recording

  /// Makes a record from what a closure records.
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

  /// Attaches a subscriber. The completion comes right after the last value, without a request.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
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

  /// Values and a completion, as they were received.
  public struct Recording {
    /// What `receive` was called with.
    public typealias Input = Output

    /// The values.
    public private(set) var output: [Output]
    /// How the record ends: normally, unless another completion is received.
    public private(set) var completion: Subscribers.Completion<Failure>

    private var isComplete = false

    private enum CodingKeys: CodingKey {
      case output, completion
    }

    /// Makes a recording without values that finishes normally.
    public init() {
      self.init(output: [], completion: .finished)
    }

    /// Makes a recording of values and a completion.
    public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
      self.output = output
      self.completion = completion
    }

    /// Adds a value. After a completion this is a programming error and traps.
    public mutating func receive(_ input: Input) {
      precondition(!isComplete, "a recording cannot receive a value after its completion")
      output.append(input)
    }

    /// Sets how the record ends. A second completion is a programming error and traps.
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
  /// Reads a recording, which is complete: it takes no further values and no other completion.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      output: try container.decode([Output].self, forKey: .output),
      completion: try container.decode(Subscribers.Completion<Failure>.self, forKey: .completion))
    isComplete = true
  }

  /// Writes the recording, as `encode(to:)` does.
  public func encode(into encoder: any Encoder) throws {
    try encode(to: encoder)
  }
}
