import InterflowPrimitives

extension AsyncSequence {
  /// Begins again after a failure, for a number of times.
  ///
  /// ```swift
  /// let pictures = online.retry(3)
  /// ```
  ///
  /// A retry is a new iterator of this sequence; elements that have been returned are not taken back. The result fails
  /// with the failure of the last try. If the task has been cancelled, a failure is the end.
  ///
  /// - Parameter retries: How many times at most; `.max` for no limit.
  @inlinable
  public func retry(_ retries: Int) -> AsyncRetrySequence<Self> {
    precondition(retries >= 0, "the number of retries must not be negative, but was \(retries)")
    return AsyncRetrySequence(self, decide: .immediate { $0.number <= retries })
  }

  /// Begins again after a failure, for a number of times, with a time to wait before each.
  ///
  /// ```swift
  /// let backoff = RetryBackoff.exponential(from: Duration.milliseconds(100), upTo: .seconds(10))
  /// let pictures = online.retry(5, backoff: backoff, clock: ContinuousClock())
  /// ```
  ///
  /// A retry is a new iterator of this sequence; elements that have been returned are not taken back. The result fails
  /// with the failure of the last try. If the task has been cancelled, a failure is the end; while it waits, that is when
  /// the clock's sleep returns, which is at once with the clocks of the standard library.
  ///
  /// - Parameters:
  ///   - retries: How many times at most; `.max` for no limit.
  ///   - backoff: How long to wait before each.
  ///   - tolerance: How much longer; without one, as the clock decides.
  ///   - clock: The clock that measures it.
  @inlinable
  public func retry<C: Clock>(
    _ retries: Int, backoff: RetryBackoff<C.Instant.Duration>, tolerance: C.Instant.Duration? = nil, clock: C
  ) -> AsyncRetrySequence<Self> {
    precondition(retries >= 0, "the number of retries must not be negative, but was \(retries)")
    return AsyncRetrySequence(
      self,
      decide: .suspending { failed in
        guard failed.number <= retries else { return false }
        let due = clock.now.saturatingAdvanced(by: backoff.delay(beforeRetry: failed.number))
        do {
          try await clock.sleep(until: due, tolerance: tolerance)
          return true
        } catch {
          return false
        }
      })
  }

  /// Begins again after a failure, for a number of times, with a time to wait before each, on the continuous clock.
  ///
  /// ```swift
  /// let pictures = online.retry(5, backoff: .constant(.seconds(1)))
  /// ```
  ///
  /// - Parameters:
  ///   - retries: How many times at most; `.max` for no limit.
  ///   - backoff: How long to wait before each.
  @inlinable
  public func retry(_ retries: Int, backoff: RetryBackoff<Duration>) -> AsyncRetrySequence<Self> {
    retry(retries, backoff: backoff, clock: ContinuousClock())
  }

  /// Begins again after a failure if a closure says so.
  ///
  /// ```swift
  /// let pictures = online.retryWhen { error, retry in
  ///   guard error.code == .notConnectedToInternet, retry <= 10 else { return false }
  ///   await network.isAvailable()
  ///   return true
  /// }
  /// ```
  ///
  /// A retry is a new iterator of this sequence; elements that have been returned are not taken back. The result fails
  /// with the failure after which the closure returns `false`. If the task has been cancelled, a failure is the end.
  ///
  /// - Parameter shouldRetry: Returns whether to begin again, on the consumer's isolation. It gets the failure, and the
  ///   number of the retry, which is one after the first failure.
  @inlinable
  public func retryWhen(
    _ shouldRetry: nonisolated(nonsending) @escaping @Sendable (_ failure: Failure, _ retry: Int) async -> Bool
  ) -> AsyncRetrySequence<Self> {
    AsyncRetrySequence(self, decide: .suspending { await shouldRetry($0.failure, $0.number) })
  }
}

/// An asynchronous sequence that begins again when its base fails.
@frozen
public struct AsyncRetrySequence<Base: AsyncSequence>: AsyncSequence {
  /// The base's elements.
  public typealias Element = Base.Element
  /// The base's failure.
  public typealias Failure = Base.Failure

  @usableFromInline typealias Decision = Transform<(failure: Base.Failure, number: Int), Bool>

  @usableFromInline let base: Base
  @usableFromInline let decide: Decision

  @inlinable
  init(_ base: Base, decide: Decision) {
    self.base = base
    self.decide = decide
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    /// Nil after the end.
    @usableFromInline var sequence: AsyncRetrySequence?
    @usableFromInline var iterator: Base.AsyncIterator?
    @usableFromInline var failures = 0

    @inlinable
    init(_ sequence: AsyncRetrySequence) {
      self.sequence = sequence
      iterator = sequence.base.makeAsyncIterator()
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Base.Element? {
      while let sequence {
        do throws(Base.Failure) {
          if let element = try await iterator?.next(isolation: actor) { return element }
          finish()
        } catch {
          iterator = nil
          failures &+= 1
          let failed = (failure: error, number: failures)
          let isRetried = Task.isCancelled ? false : await sequence.decide(failed, isolation: actor)
          if Task.isCancelled {
            finish()
            return nil
          }
          if !isRetried {
            finish()
            throw error
          }
          // Lets other tasks run, though the base always fails at once.
          if failures & 63 == 0 { await Task.yield() }
          iterator = sequence.base.makeAsyncIterator()
        }
      }
      return nil
    }

    @inlinable
    mutating func finish() {
      sequence = nil
      iterator = nil
    }
  }
}

extension AsyncRetrySequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncRetrySequence.Iterator: Sendable {}
