import InterflowPrimitives

extension Future where Failure == Never {
  /// Waits for the future's value.
  ///
  /// - Cancellation: Cancelling the task does not end the wait: a future that cannot fail has no error to throw. If the
  ///   promise is never called, this never returns.
  @inlinable
  nonisolated(nonsending) public final var value: Output {
    get async {
      if case .success(let output)? = settled { return output }
      var address: UInt = 0
      let output: UncheckedTransfer<Output> = await withUnsafeContinuation { waiter in
        address = waiter.address
        subscribe(FutureWaiter(waiter))
      }
      ThreadSanitizer.acquire(address)
      return output.value
    }
  }
}

extension Future {
  /// Waits for the future's value, or throws its failure.
  ///
  /// - Cancellation: Cancelling the task throws `CancellationError` at once, unless the promise has been called before.
  ///   The work that calls the promise goes on.
  @inlinable
  nonisolated(nonsending) public final var value: Output {
    get async throws {
      if let settled { return try settled.get() }
      let iteration = AsyncInboxIteration(self)
      // Explicitly, since the optimiser may delay the iteration's `deinit`.
      defer { iteration.inbox.cancel() }
      guard let output = try await iteration.inbox.next(isolation: #isolation) else { throw CancellationError() }
      return output
    }
  }
}

/// The subscriber that resumes a waiting task with a future's value. A future that cannot fail delivers exactly one.
@frozen
@usableFromInline
struct FutureWaiter<Input>: Subscriber {
  @usableFromInline typealias Failure = Never

  @usableFromInline let waiter: UnsafeContinuation<UncheckedTransfer<Input>, Never>

  @usableFromInline let combineIdentifier: CombineIdentifier

  @inlinable
  init(_ waiter: UnsafeContinuation<UncheckedTransfer<Input>, Never>) {
    self.waiter = waiter
    combineIdentifier = CombineIdentifier()
  }

  @inlinable
  func receive(subscription: any Subscription) {
    subscription.request(.max(1))
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    waiter.wake(returning: UncheckedTransfer(input))
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Never>) {}
}
