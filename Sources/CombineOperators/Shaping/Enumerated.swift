import Combine

extension Publishers {
  /// A publisher of the values of another with their numbers.
  public struct Enumerated<Upstream: Publisher>: Publisher {
    /// A value with its number.
    public typealias Output = (index: Int, element: Upstream.Output)
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are numbered.
    public let upstream: Upstream
    /// The number of the first value.
    public let initial: Int

    /// Numbers the values of a publisher.
    public init(upstream: Upstream, initial: Int) {
      self.upstream = upstream
      self.initial = initial
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      var next = initial
      // Upstream delivers one value at a time, and the closure belongs to one subscriber.
      upstream.map { element in
        defer { next &+= 1 }
        return (index: next, element: element)
      }
      .receive(subscriber: subscriber)
    }
  }
}

extension Publisher {
  /// Delivers each value with its number.
  ///
  /// ```swift
  /// let rows = ["a", "b"].publisher.enumerated()  // (0, a), (1, b)
  /// ```
  ///
  /// - Demand: Is requested from this publisher.
  /// - Parameter initial: The number of the first value.
  public func enumerated(initial: Int = 0) -> Publishers.Enumerated<Self> {
    Publishers.Enumerated(upstream: self, initial: initial)
  }
}
