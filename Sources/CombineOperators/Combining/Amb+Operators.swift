import Combine

extension Publisher {
  /// Delivers the signals of this publisher or of another: of the one that delivers a value or completes first.
  ///
  /// ```swift
  /// let nearest = mirrors[0].fetch().amb(mirrors[1].fetch())
  /// ```
  ///
  /// - Demand: The subscriber's demand is requested from both, until one delivers.
  /// - Cancellation: The slower is cancelled with the first signal of the faster.
  /// - Parameter other: The other publisher.
  public func amb<Other: Publisher>(_ other: Other) -> Publishers.Amb<Self, Other>
  where Other.Output == Output, Other.Failure == Failure {
    Publishers.Amb(first: self, second: other)
  }

  /// Delivers the signals of the fastest of this publisher and some others.
  ///
  /// - Demand: The subscriber's demand is requested from all, until one delivers.
  /// - Cancellation: The others are cancelled with the first signal of the fastest.
  public func amb<Other: Publisher>(with others: Other...) -> AnyPublisher<Output, Failure>
  where Other.Output == Output, Other.Failure == Failure {
    amb(with: others)
  }

  /// Delivers the signals of the fastest of this publisher and some others.
  ///
  /// - Demand: The subscriber's demand is requested from all, until one delivers.
  /// - Cancellation: The others are cancelled with the first signal of the fastest.
  public func amb<Others: Collection>(with others: Others) -> AnyPublisher<Output, Failure>
  where Others.Element: Publisher, Others.Element.Output == Output, Others.Element.Failure == Failure {
    ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).amb()
  }
}

extension Collection where Element: Publisher {
  /// Delivers the signals of the fastest of the publishers. Without any, it finishes at once.
  ///
  /// - Demand: The subscriber's demand is requested from all, until one delivers.
  /// - Cancellation: The others are cancelled with the first signal of the fastest.
  public func amb() -> AnyPublisher<Element.Output, Element.Failure> {
    isEmpty ? Empty().eraseToAnyPublisher() : RaceMany(bases: self).eraseToAnyPublisher()
  }
}

/// Delivers the signals of the faster of two publishers. The same as ``Combine/Publisher/amb(_:)``.
public func race<First: Publisher, Second: Publisher>(_ first: First, _ second: Second) -> Publishers.Amb<First, Second>
where First.Output == Second.Output, First.Failure == Second.Failure {
  first.amb(second)
}

/// Delivers the signals of the fastest of some publishers. The same as `amb()` of the collection.
public func race<Bases: Collection>(_ bases: Bases) -> AnyPublisher<Bases.Element.Output, Bases.Element.Failure>
where Bases.Element: Publisher {
  bases.amb()
}
