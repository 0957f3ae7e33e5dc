public import Combine

/// A signal that a subscriber received, and when.
///
/// Made by hand, they say what a test expects:
///
/// ```swift
/// let subscriber = RecordingSubscriber<String, Never>()
/// Just("a").subscribe(subscriber)
/// #expect(subscriber.signals == [.subscription(at: 0), .value("a", at: 0), .finished(at: 0)])
/// ```
public struct RecordedSignal<Value, Failure: Error> {
  /// What was received.
  public enum Kind {
    /// A subscription.
    case subscription
    /// A value.
    case value(Value)
    /// The end of a stream that has all its values.
    case finished
    /// The end of a stream that failed.
    case failure(Failure)
  }

  /// When it was received.
  public let time: VirtualTime
  /// What was received.
  public let kind: Kind

  /// Makes a signal.
  public init(_ kind: Kind, at time: VirtualTime) {
    self.time = time
    self.kind = kind
  }

  /// A subscription at a time.
  public static func subscription(at time: VirtualTime) -> Self { Self(.subscription, at: time) }

  /// A value at a time.
  public static func value(_ value: Value, at time: VirtualTime) -> Self { Self(.value(value), at: time) }

  /// The end of a stream that has all its values, at a time.
  public static func finished(at time: VirtualTime) -> Self { Self(.finished, at: time) }

  /// The end of a stream that failed, at a time.
  public static func failure(_ error: Failure, at time: VirtualTime) -> Self { Self(.failure(error), at: time) }

  /// The value, if that was received.
  public var value: Value? { if case .value(let value) = kind { value } else { nil } }

  /// How the stream ended, if that was received.
  public var completion: Subscribers.Completion<Failure>? {
    switch kind {
    case .finished: .finished
    case .failure(let error): .failure(error)
    case .subscription, .value: nil
    }
  }
}

extension RecordedSignal.Kind {
  /// Makes the end of a stream.
  public init(_ completion: Subscribers.Completion<Failure>) {
    self =
      switch completion {
      case .finished: .finished
      case .failure(let error): .failure(error)
      }
  }
}

extension RecordedSignal: Equatable where Value: Equatable, Failure: Equatable {}
extension RecordedSignal.Kind: Equatable where Value: Equatable, Failure: Equatable {}
extension RecordedSignal: Sendable where Value: Sendable {}
extension RecordedSignal.Kind: Sendable where Value: Sendable {}

extension RecordedSignal: CustomStringConvertible {
  /// The signal and its time, as in `a at 1.5 s`.
  public var description: String { "\(kind) at \(time)" }
}

extension RecordedSignal.Kind: CustomStringConvertible {
  /// The value or the error; `subscription` and `finished` for these.
  public var description: String {
    switch self {
    case .subscription: "subscription"
    case .value(let value): "\(value)"
    case .finished: "finished"
    case .failure(let error): "failure: \(error)"
    }
  }
}
