import Combine
import InterflowPrimitives

extension Publisher {
  /// Delivers the last values, as many as a number says, when this publisher has finished.
  ///
  /// ```swift
  /// let latest = (1...5).publisher.suffix(2)  // 4, 5
  /// ```
  ///
  /// A failure is delivered without them.
  ///
  /// - Demand: Unlimited demand is requested from this publisher, and the values wait for the subscriber's.
  /// - Parameter count: How many.
  public func suffix(_ count: Int) -> AnyPublisher<Output, Failure> {
    precondition(count >= 0, "the number of values must not be negative, but was \(count)")
    return Deferred {
      reduce(into: RingBuffer<Output>()) { latest, value in
        latest.append(value)
        return latest.count > count ? latest.popFirst() : nil
      }
    }
    // Without a limit, which `ignoreOutput()` would request first.
    .flatMap { $0.elements.publisher.setFailureType(to: Failure.self) }
    .eraseToAnyPublisher()
  }

  /// Delivers the last values. The same as ``suffix(_:)``, by RxSwift's name.
  ///
  /// - Demand: Unlimited demand is requested from this publisher, and the values wait for the subscriber's.
  public func takeLast(_ count: Int) -> AnyPublisher<Output, Failure> {
    suffix(count)
  }

  /// Collects values in place, and delivers the result when this publisher has finished. For one subscriber.
  ///
  /// - Parameter update: Returns what it has removed.
  private func reduce<Result>(
    into initial: Result, _ update: @escaping (inout Result, Output) -> Output?
  ) -> AnyPublisher<Result, Failure> {
    var result = initial
    return
      map { value in
        // Released after the access, since the release may send a value, which accesses the result too.
        let removed = update(&result, value)
        releaseOutsideLock(removed)
      }
      .ignoreOutput().map { _ -> Result in }
      .append(Deferred { Just(result).setFailureType(to: Failure.self) })
      .eraseToAnyPublisher()
  }
}
