import InterflowPrimitives

/// The iterator of the elements of sequences that a closure makes of a base's elements.
public struct _FlatMapIterator<Element, Failure: Error>: _IsolatedIterator {
  @usableFromInline var joined: FanInConsumer<Failure>

  /// - Parameters:
  ///   - inner: Which of the closure's sequences are iterated at a time.
  ///   - limit: How many they are at most.
  @inlinable
  init<Base: AsyncSequence, Inner: AsyncSequence>(
    _ base: Base, _ inner: FanInRule.Inner, limit: Int = .max, _ transform: @escaping @Sendable (Base.Element) -> Inner
  ) where Inner.Element == Element {
    let input = FanInInput<Never>(base) { input, element in
      input.startInner { FanInInput(transform(element)) }
      return .waitForRoom
    }
    joined = FanInConsumer(.flatMap(inner), [input], limit: limit)
  }

  /// The next element of the closure's sequences, on the caller's isolation; `nil` after the end.
  @inlinable
  public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    guard try await joined.next(isolation: actor) != nil else { return nil }
    guard let input = joined.handle?.engine.takeInnerInput() else { preconditionFailure("an element of no input") }
    return unsafeDowncast(input, to: FanInInput<Element>.self).take()
  }
}

@available(*, unavailable)
extension _FlatMapIterator: Sendable {}

extension FanInRule {
  /// Each element of the first input may become an inner input.
  @inlinable
  static func flatMap(_ inner: Inner) -> Self { Self(end: .all, inner: inner, requestsAhead: true) }
}
