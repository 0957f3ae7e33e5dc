/// A publisher that hides the type of another.
///
/// The subscriber gets the hidden publisher's own subscription, so values, completion, demand and cancellation pass
/// through unchanged. Each value costs one more call.
///
/// ```swift
/// let publisher: AnyPublisher<Int, Never> = [1, 2, 3].publisher.map { $0 * 2 }.eraseToAnyPublisher()
/// ```
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher, CustomStringConvertible,
  CustomPlaygroundDisplayConvertible
{
  // Formed where the types of the publisher and the receiver are known, so that the publisher's loop is specialised.
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

  /// Attaches a subscriber to the hidden publisher.
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
