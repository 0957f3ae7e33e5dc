/// An element of an asynchronous sequence, or its end, as a value.
///
/// `materialize()` makes them.
@frozen
public enum AsyncEvent<Element, Failure: Error> {
  /// An element.
  case element(Element)
  /// The end with an error.
  case failure(Failure)
  /// The end.
  case finished
}

extension AsyncEvent: Sendable where Element: Sendable {}
extension AsyncEvent: Equatable where Element: Equatable, Failure: Equatable {}
extension AsyncEvent: Hashable where Element: Hashable, Failure: Hashable {}
