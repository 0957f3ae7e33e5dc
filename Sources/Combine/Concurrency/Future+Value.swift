import InterflowPrimitives

extension Future where Failure == Never {
  /// Waits for the future's value.
  ///
  /// - Cancellation: A future that cannot fail has nothing to end this with but its value, so cancelling the task does
  ///   not: it waits until the promise is kept, and for ever if that never happens.
  @inlinable
  nonisolated(nonsending) public final var value: Output {
    get async {
      if case .success(let output)? = settled { return output }
      return await withUnsafeContinuation { waiter in
        subscribe(FutureWaiter(waiter))
      }.value
    }
  }
}

extension Future {
  /// Waits for the future's value, or throws its failure.
  ///
  /// - Cancellation: Cancelling the task ends this at once, and throws `CancellationError`, unless the promise has been
  ///   kept before. The work behind the promise goes on.
  @inlinable
  nonisolated(nonsending) public final var value: Output {
    get async throws {
      if let settled { return try settled.get() }
      let iteration = AsyncInboxIteration(self)
      // Here and not by the end of the iteration's life, which the optimiser may put off.
      defer { iteration.inbox.cancel() }
      guard let output = try await iteration.inbox.next(isolation: #isolation) else { throw CancellationError() }
      return output
    }
  }
}

/// Hands a future's value to the task that waits for it. A future that cannot fail sends exactly one.
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
    waiter.resume(returning: UncheckedTransfer(input))
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Never>) {}
}
