import Combine
import Synchronization

extension Publisher {
  /// Delivers the values of the publisher that a closure returns for a value, and drops the values that arrive before
  /// that publisher has finished.
  ///
  /// ```swift
  /// let signIns = signInButton.flatMapFirst { signIn() }
  /// ```
  ///
  /// - Demand: Unlimited demand is requested from this publisher. If the subscriber's demand is limited, one value at a
  ///   time is requested from the inner one. An inner publisher that has finished does not count as running, even if a
  ///   value of it has not been requested, so one value of each is buffered, without limit.
  /// - Cancellation: Cancels this publisher and the inner one.
  /// - Parameter transform: Makes a publisher from a value.
  public func flatMapFirst<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> AnyPublisher<P.Output, Failure> where P.Failure == Failure {
    Deferred {
      let isRunning = Flag()
      return filter { _ in isRunning.set() }
        .flatMap { transform($0).handleEvents(receiveCompletion: { _ in isRunning.clear() }) }
    }
    .eraseToAnyPublisher()
  }
}

/// A flag that several threads set and clear.
final class Flag: Sendable {
  private let isSet = Atomic(false)

  /// - Returns: Whether it was clear.
  func set() -> Bool { !isSet.exchange(true, ordering: .acquiringAndReleasing) }

  func clear() { isSet.store(false, ordering: .releasing) }

  var value: Bool { isSet.load(ordering: .acquiring) }
}
