/// A publisher that hides the type of another.
///
/// Values, completion, demand and cancellation pass through unchanged, at the cost of one call for each value.
///
/// ```swift
/// let publisher: AnyPublisher<Int, Never> = [1, 2, 3].publisher.map { $0 * 2 }.eraseToAnyPublisher()
/// ```
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher, CustomStringConvertible,
  CustomPlaygroundDisplayConvertible
{
  // Made where the publisher's type is known, and so is the receiver's: the publisher's own loop is specialised in it.
  @usableFromInline let attach: (Receiver<Output, Failure>) -> Void

  /// Hides the type of a publisher. Hiding it twice costs nothing more than once.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher {
      self = erased
    } else {
      attach = { publisher.receive(subscriber: $0) }
    }
  }

  /// Attaches a subscriber to the publisher behind this.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    attach(.of(subscriber))
  }

  /// `AnyPublisher`.
  public var description: String { "AnyPublisher" }
  /// `AnyPublisher`.
  public var playgroundDescription: Any { description }
}

extension Publisher {
  /// Hides the publisher's type, so that an API need not name it.
  @inlinable
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
    AnyPublisher(self)
  }
}
