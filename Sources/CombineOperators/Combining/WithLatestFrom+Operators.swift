import Combine

extension Publisher {
  /// Joins each value with the latest one of another publisher.
  ///
  /// ```swift
  /// let purchases = buyButton.withLatestFrom(selection) { _, product in product }
  /// ```
  ///
  /// Values before the other's first cause none. The stream finishes when this publisher has finished, or when the other
  /// has without a value. A failure of either ends it.
  ///
  /// - Demand: The subscriber's demand is requested from this publisher as soon as the other has delivered its first
  ///   value, so that a publisher which produces on request loses nothing. Unlimited demand is requested from the other.
  /// - Thread: A value is delivered on the thread that sends it. If another thread is delivering, the sender waits.
  /// - Cancellation: Cancels both publishers.
  /// - Parameters:
  ///   - other: The publisher whose latest value is joined.
  ///   - resultSelector: Makes a value from one of each publisher.
  @inlinable
  public func withLatestFrom<Other: Publisher, Result>(
    _ other: Other, resultSelector: @escaping (Output, Other.Output) -> Result
  ) -> Publishers.WithLatestFrom<Self, Other, Result> where Other.Failure == Failure {
    Publishers.WithLatestFrom(upstream: self, other: other, resultSelector: resultSelector)
  }

  /// Joins each value with the latest ones of two other publishers.
  ///
  /// The stream finishes when this publisher has finished, or when one of the others has without a value.
  ///
  /// - Demand: As with one other publisher: this one is requested when each of the others has delivered a value.
  /// - Cancellation: Cancels all the publishers.
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Result>(
    _ other: Other, _ other1: Other1,
    resultSelector: @escaping (Output, (Other.Output, Other1.Output)) -> Result
  ) -> AnyPublisher<Result, Failure>
  where Other.Failure == Failure, Other1.Failure == Failure {
    joined(with: [erased(other), erased(other1)], resultSelector)
  }

  /// Joins each value with the latest ones of three other publishers.
  ///
  /// The stream finishes when this publisher has finished, or when one of the others has without a value.
  ///
  /// - Demand: As with one other publisher: this one is requested when each of the others has delivered a value.
  /// - Cancellation: Cancels all the publishers.
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Other2: Publisher, Result>(
    _ other: Other, _ other1: Other1, _ other2: Other2,
    resultSelector: @escaping (Output, (Other.Output, Other1.Output, Other2.Output)) -> Result
  ) -> AnyPublisher<Result, Failure>
  where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure {
    joined(with: [erased(other), erased(other1), erased(other2)], resultSelector)
  }

  /// Joins each value with the latest ones of four other publishers.
  ///
  /// The stream finishes when this publisher has finished, or when one of the others has without a value.
  ///
  /// - Demand: As with one other publisher: this one is requested when each of the others has delivered a value.
  /// - Cancellation: Cancels all the publishers.
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Other2: Publisher, Other3: Publisher, Result>(
    _ other: Other, _ other1: Other1, _ other2: Other2, _ other3: Other3,
    resultSelector: @escaping (Output, (Other.Output, Other1.Output, Other2.Output, Other3.Output)) -> Result
  ) -> AnyPublisher<Result, Failure>
  where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure, Other3.Failure == Failure {
    joined(with: [erased(other), erased(other1), erased(other2), erased(other3)], resultSelector)
  }

  /// Delivers the latest value of another publisher, each time that this one delivers a value.
  ///
  /// As in CombineExt and in RxSwift, the value of this publisher is left out. In `AsyncOperators`, the operator of this
  /// name delivers both.
  ///
  /// - Demand: The subscriber's demand is requested from this publisher as soon as the other has delivered its first
  ///   value. Unlimited demand is requested from the other.
  /// - Cancellation: Cancels both publishers.
  @inlinable
  public func withLatestFrom<Other: Publisher>(
    _ other: Other
  ) -> Publishers.WithLatestFrom<Self, Other, Other.Output> where Other.Failure == Failure {
    withLatestFrom(other) { $1 }
  }

  /// Delivers the latest values of two other publishers, each time that this one delivers a value.
  ///
  /// - Demand: As with one other publisher: this one is requested when each of the others has delivered a value.
  /// - Cancellation: Cancels all the publishers.
  public func withLatestFrom<Other: Publisher, Other1: Publisher>(
    _ other: Other, _ other1: Other1
  ) -> AnyPublisher<(Other.Output, Other1.Output), Failure>
  where Other.Failure == Failure, Other1.Failure == Failure {
    withLatestFrom(other, other1) { $1 }
  }

  /// Delivers the latest values of three other publishers, each time that this one delivers a value.
  ///
  /// - Demand: As with one other publisher: this one is requested when each of the others has delivered a value.
  /// - Cancellation: Cancels all the publishers.
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Other2: Publisher>(
    _ other: Other, _ other1: Other1, _ other2: Other2
  ) -> AnyPublisher<(Other.Output, Other1.Output, Other2.Output), Failure>
  where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure {
    withLatestFrom(other, other1, other2) { $1 }
  }

  /// Delivers the latest values of four other publishers, each time that this one delivers a value.
  ///
  /// - Demand: As with one other publisher: this one is requested when each of the others has delivered a value.
  /// - Cancellation: Cancels all the publishers.
  public func withLatestFrom<Other: Publisher, Other1: Publisher, Other2: Publisher, Other3: Publisher>(
    _ other: Other, _ other1: Other1, _ other2: Other2, _ other3: Other3
  ) -> AnyPublisher<(Other.Output, Other1.Output, Other2.Output, Other3.Output), Failure>
  where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure, Other3.Failure == Failure {
    withLatestFrom(other, other1, other2, other3) { $1 }
  }

  private func joined<each Other, Result>(
    with others: [AnyPublisher<Any, Failure>], _ resultSelector: @escaping (Output, (repeat each Other)) -> Result
  ) -> AnyPublisher<Result, Failure> {
    WithLatestFromMany(
      upstream: self, others: others, makeTuple: { typedTuple($0) }, resultSelector: resultSelector
    ).eraseToAnyPublisher()
  }
}
