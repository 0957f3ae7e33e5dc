extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Collects elements until a signal comes, where the signal cannot fail.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameter signal: The sequence whose elements are the signals.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable>(
    by signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<Self, [Element], Signal>
  where Signal.Element: Sendable, Signal.Failure == Never {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: signal)
  }

  /// Collects elements until a signal comes, where the signal cannot fail.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    by signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, Signal>
  where Signal.Element: Sendable, Signal.Failure == Never, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: signal)
  }

  /// Collects elements until a signal comes, where the signal fails as the sequence does.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameter signal: The sequence whose elements are the signals.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable>(
    by signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<Self, [Element], Signal>
  where Signal.Element: Sendable, Signal.Failure == Failure {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: signal)
  }

  /// Collects elements until a signal comes, where the signal fails as the sequence does.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    by signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, Signal>
  where Signal.Element: Sendable, Signal.Failure == Failure, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: signal)
  }

  /// Collects elements until a signal comes, where the signal cannot fail.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameter signal: The sequence whose elements are the signals.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable>(
    by signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<Self, [Element], Signal>
  where Signal.Element: Sendable, Failure == Never, Signal.Failure == Never {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: signal)
  }

  /// Collects elements until a signal comes, where the signal cannot fail.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    by signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, Signal>
  where Signal.Element: Sendable, Failure == Never, Signal.Failure == Never, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: signal)
  }

  /// Collects elements until a signal comes, where the signal fails in another way.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameter signal: The sequence whose elements are the signals.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable>(
    by signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<
    AsyncWidenedFailureSequence<Self, any Error>, [Element], AsyncWidenedFailureSequence<Signal, any Error>
  >
  where Signal.Element: Sendable {
    AsyncChunksOfCountOrSignalSequence(
      AsyncWidenedFailureSequence(self), count: nil, signal: AsyncWidenedFailureSequence(signal))
  }

  /// Collects elements until a signal comes, where the signal fails in another way.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    by signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<
    AsyncWidenedFailureSequence<Self, any Error>, Collected, AsyncWidenedFailureSequence<Signal, any Error>
  >
  where Signal.Element: Sendable, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(
      AsyncWidenedFailureSequence(self), count: nil, signal: AsyncWidenedFailureSequence(signal))
  }

  /// Collects elements until a signal comes. The sequence cannot fail, the signal can.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameter signal: The sequence whose elements are the signals.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable>(
    by signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<
    AsyncWidenedFailureSequence<Self, Signal.Failure>, [Element], Signal
  >
  where Signal.Element: Sendable, Failure == Never {
    AsyncChunksOfCountOrSignalSequence(
      AsyncWidenedFailureSequence(self), count: nil, signal: signal)
  }

  /// Collects elements until a signal comes. The sequence cannot fail, the signal can.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    by signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<
    AsyncWidenedFailureSequence<Self, Signal.Failure>, Collected, Signal
  >
  where Signal.Element: Sendable, Failure == Never, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(
      AsyncWidenedFailureSequence(self), count: nil, signal: signal)
  }
}
