extension AsyncSequence {
  /// Goes on with another sequence after a failure.
  ///
  /// ```swift
  /// let pictures = online.catch { error in stored }
  /// ```
  ///
  /// The failure type is that of the other sequence. The closure is called at most once for each iterator; after it, the
  /// base has been released. If the task has been cancelled when the base fails or while
  /// the closure runs, the result ends instead.
  ///
  /// - Parameter handler: Makes the other sequence.
  @inlinable
  public func `catch`<Inner: AsyncSequence & SendableMetatype>(
    _ handler: @escaping @Sendable (Failure) -> Inner
  ) -> AsyncCatchSequence<Self, Inner, Inner.Failure> where Inner.Element == Element {
    AsyncCatchSequence(self, handler: .immediate { .success(handler($0)) })
  }

  /// Goes on with another sequence after a failure.
  ///
  /// ```swift
  /// let pictures = online.catch { error in await store.pictures() }
  /// ```
  ///
  /// The failure type is that of the other sequence. The closure is called at most once for each iterator; after it, the
  /// base has been released. If the task has been cancelled when the base fails or while
  /// the closure runs, the result ends instead.
  ///
  /// - Parameter handler: Makes the other sequence, on the consumer's isolation.
  @inlinable
  public func `catch`<Inner: AsyncSequence & SendableMetatype>(
    _ handler: nonisolated(nonsending) @escaping @Sendable (Failure) async -> Inner
  ) -> AsyncCatchSequence<Self, Inner, Inner.Failure> where Inner.Element == Element {
    AsyncCatchSequence(self, handler: .suspending { .success(await handler($0)) })
  }

  /// Goes on with another sequence after a failure, or fails with another error.
  ///
  /// ```swift
  /// let pictures = online.tryCatch { error in
  ///   guard error.code == .notConnectedToInternet else { throw error }
  ///   return stored
  /// }
  /// ```
  ///
  /// The result fails with what the closure throws, and with the failure of the other sequence. The closure is called at
  /// most once for each iterator. If the task has been cancelled when the base fails or while
  /// the closure runs, the result ends instead.
  ///
  /// - Parameter handler: Makes the other sequence, or throws.
  @inlinable
  public func tryCatch<Inner: AsyncSequence & SendableMetatype>(
    _ handler: @escaping @Sendable (Failure) throws -> Inner
  ) -> AsyncCatchSequence<Self, Inner, any Error> where Inner.Element == Element {
    AsyncCatchSequence(self, handler: .immediate { error in Result { try handler(error) } })
  }

  /// Goes on with another sequence after a failure, or fails with another error.
  ///
  /// ```swift
  /// let pictures = online.tryCatch { error in try await store.load() }
  /// ```
  ///
  /// The result fails with what the closure throws, and with the failure of the other sequence. The closure is called at
  /// most once for each iterator. If the task has been cancelled when the base fails or while
  /// the closure runs, the result ends instead.
  ///
  /// - Parameter handler: Makes the other sequence, on the consumer's isolation, or throws.
  @inlinable
  public func tryCatch<Inner: AsyncSequence & SendableMetatype>(
    _ handler: nonisolated(nonsending) @escaping @Sendable (Failure) async throws -> Inner
  ) -> AsyncCatchSequence<Self, Inner, any Error> where Inner.Element == Element {
    AsyncCatchSequence(
      self,
      handler: .suspending { error in
        do {
          return .success(try await handler(error))
        } catch {
          return .failure(error)
        }
      })
  }
}

/// An asynchronous sequence that goes on with another one when its base fails.
///
/// `catch(_:)` and `tryCatch(_:)` make one. `Failure` is that of the other sequence or, if the closure can throw,
/// `any Error`.
@frozen
public struct AsyncCatchSequence<Base: AsyncSequence, Inner: AsyncSequence, Failure: Error>: AsyncSequence
where Base.Element == Inner.Element {
  /// The elements of both.
  public typealias Element = Base.Element

  @usableFromInline let base: Base
  @usableFromInline let handler: Transform<Base.Failure, Result<Inner, Failure>>

  @inlinable
  init(_ base: Base, handler: Transform<Base.Failure, Result<Inner, Failure>>) {
    self.base = base
    self.handler = handler
  }

  /// Makes an iterator over the base.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Returns the elements.
  @frozen
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: FusedIterator<Base.AsyncIterator>
    /// Nil after the base's end.
    @usableFromInline var handler: Transform<Base.Failure, Result<Inner, Failure>>?
    @usableFromInline var inner = FusedIterator<Inner.AsyncIterator>(nil)

    @inlinable
    init(_ sequence: AsyncCatchSequence) {
      base = FusedIterator(sequence.base.makeAsyncIterator())
      handler = sequence.handler
    }

    /// The next element, on the caller's isolation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Base.Element? {
      if !base.isFinished {
        do throws(Base.Failure) {
          if let element = try await base.next(isolation: actor) { return element }
          handler = nil
          return nil
        } catch {
          let handler = handler.take()
          guard !Task.isCancelled, let next = await handler?(error, isolation: actor), !Task.isCancelled else {
            return nil
          }
          inner = FusedIterator(try next.get().makeAsyncIterator())
        }
      }
      do throws(Inner.Failure) {
        return try await inner.next(isolation: actor)
      } catch {
        throw converted(error, to: Failure.self)
      }
    }
  }
}

extension AsyncCatchSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncCatchSequence.Iterator: Sendable {}
