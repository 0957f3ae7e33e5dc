extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Collects elements until there are enough, or a signal comes, where the signal cannot fail.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable>(
    ofCount count: Int, or signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<Self, [Element], Signal>
  where Signal.Element: Sendable, Signal.Failure == Never {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes, where the signal cannot fail.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, Signal>
  where Signal.Element: Sendable, Signal.Failure == Never, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes, where the signal fails as the sequence does.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable>(
    ofCount count: Int, or signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<Self, [Element], Signal>
  where Signal.Element: Sendable, Signal.Failure == Failure {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes, where the signal fails as the sequence does.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, Signal>
  where Signal.Element: Sendable, Signal.Failure == Failure, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes, where the signal cannot fail.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable>(
    ofCount count: Int, or signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<Self, [Element], Signal>
  where Signal.Element: Sendable, Failure == Never, Signal.Failure == Never {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes, where the signal cannot fail.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, Signal>
  where Signal.Element: Sendable, Failure == Never, Signal.Failure == Never, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes, where the signal fails in another way.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable>(
    ofCount count: Int, or signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<
    AsyncWidenedFailureSequence<Self, any Error>, [Element], AsyncWidenedFailureSequence<Signal, any Error>
  >
  where Signal.Element: Sendable {
    AsyncChunksOfCountOrSignalSequence(
      AsyncWidenedFailureSequence(self), count: count, signal: AsyncWidenedFailureSequence(signal))
  }

  /// Collects elements until there are enough, or a signal comes, where the signal fails in another way.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<
    AsyncWidenedFailureSequence<Self, any Error>, Collected, AsyncWidenedFailureSequence<Signal, any Error>
  >
  where Signal.Element: Sendable, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(
      AsyncWidenedFailureSequence(self), count: count, signal: AsyncWidenedFailureSequence(signal))
  }

  /// Collects elements until there are enough, or a signal comes. The sequence cannot fail, the signal can.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable>(
    ofCount count: Int, or signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<
    AsyncWidenedFailureSequence<Self, Signal.Failure>, [Element], Signal
  >
  where Signal.Element: Sendable, Failure == Never {
    AsyncChunksOfCountOrSignalSequence(
      AsyncWidenedFailureSequence(self), count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes. The sequence cannot fail, the signal can.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<
    AsyncWidenedFailureSequence<Self, Signal.Failure>, Collected, Signal
  >
  where Signal.Element: Sendable, Failure == Never, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(
      AsyncWidenedFailureSequence(self), count: count, signal: signal)
  }
}
