import Combine

/// A signal of a publisher as a value: what ``Combine/Publisher/materialize()`` delivers.
public enum Event<Output, Failure: Error> {
  /// The publisher has delivered a value.
  case value(Output)
  /// The publisher has finished.
  case finished
  /// The publisher has failed.
  case failure(Failure)
}

extension Event: Equatable where Output: Equatable, Failure: Equatable {
  /// Whether the events are of one kind and have equal values or failures.
  public static func == (lhs: Event, rhs: Event) -> Bool {
    switch (lhs, rhs) {
    case (.finished, .finished): true
    case (.failure(let left), .failure(let right)): left == right
    case (.value(let left), .value(let right)): left == right
    default: false
    }
  }
}

extension Event: Hashable where Output: Hashable, Failure: Hashable {}
extension Event: Sendable where Output: Sendable {}

extension Event: CustomStringConvertible {
  /// The kind of the event, with its value or failure.
  public var description: String {
    switch self {
    case .value(let value): "value(\(value))"
    case .finished: "finished"
    case .failure(let failure): "failure(\(failure))"
    }
  }
}

/// What can be read as an ``Event``.
public protocol EventConvertible {
  /// The kind of its values.
  associatedtype Output
  /// The kind of its failure.
  associatedtype Failure: Error

  /// The event.
  var event: Event<Output, Failure> { get }
}

extension Event: EventConvertible {
  /// The event itself.
  public var event: Event { self }
}
