public import Combine

/// A signal that a subscriber received, and its time.
///
/// A test can make signals to compare with:
///
/// ```swift
/// let subscriber = RecordingSubscriber<String, Never>()
/// Just("a").subscribe(subscriber)
/// #expect(subscriber.signals == [.subscription(at: 0), .value("a", at: 0), .finished(at: 0)])
/// ```
public struct RecordedSignal<Value, Failure: Error> {
  /// The kind of a signal.
  public enum Kind {
    /// A subscription.
    case subscription
    /// A value.
    case value(Value)
    /// The stream finished.
    case finished
    /// The stream failed.
    case failure(Failure)
  }

  /// The time of the signal.
  public let time: VirtualTime
  /// The kind of the signal.
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

  /// The completion `finished` at a time.
  public static func finished(at time: VirtualTime) -> Self { Self(.finished, at: time) }

  /// A failure at a time.
  public static func failure(_ error: Failure, at time: VirtualTime) -> Self { Self(.failure(error), at: time) }

  /// The value, if the signal is one.
  public var value: Value? { if case .value(let value) = kind { value } else { nil } }

  /// The completion, if the signal is one.
  public var completion: Subscribers.Completion<Failure>? {
    switch kind {
    case .finished: .finished
    case .failure(let error): .failure(error)
    case .subscription, .value: nil
    }
  }
}

extension RecordedSignal.Kind {
  /// Makes the kind of a completion.
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
