import Combine

extension Publishers {
  /// A publisher of values that a closure makes one after the other from a state, on request.
  ///
  /// ```swift
  /// let powers = Publishers.Unfold(1) { power in
  ///   defer { power *= 2 }
  ///   return power < 100 ? power : nil
  /// }
  /// ```
  ///
  /// Each subscriber begins with the first state. The publisher finishes when the closure returns `nil`.
  ///
  /// - Demand: The closure is called for values that have been requested, and once more to know whether there is
  ///   another.
  /// - Cancellation: The closure is not called any more, and the state is released.
  public struct Unfold<State, Output>: Publisher {
    /// It never fails.
    public typealias Failure = Never

    private let values: Publishers.Sequence<UnfoldSequence<Output, State>, Never>

    /// Makes a publisher of a closure.
    ///
    /// - Parameters:
    ///   - initial: The first state. A class would be shared by the subscribers.
    ///   - next: Returns the next value, and changes the state; `nil` at the end.
    public init(_ initial: State, next: @escaping (inout State) -> Output?) {
      values = Publishers.Sequence(sequence: sequence(state: initial, next: next))
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      values.receive(subscriber: subscriber)
    }
  }
}
