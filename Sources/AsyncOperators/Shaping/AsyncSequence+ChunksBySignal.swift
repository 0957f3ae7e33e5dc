extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Collects elements until there are enough, or a signal comes.
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
  where Signal.Element: Sendable {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes.
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
  where Signal.Element: Sendable, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a timer ticks.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - timer: The timer.
  @inlinable
  public func chunks<C: Clock>(
    ofCount count: Int, or timer: AsyncTimerSequence<C>
  ) -> AsyncChunksOfCountOrSignalSequence<Self, [Element], AsyncTimerSequence<C>> {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: timer)
  }

  /// Collects elements until there are enough, or a timer ticks.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - timer: The timer.
  ///   - into: The type of the collections.
  @inlinable
  public func chunks<C: Clock, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or timer: AsyncTimerSequence<C>, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, AsyncTimerSequence<C>>
  where Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: timer)
  }

  /// Collects elements until a signal comes.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameter signal: The sequence whose elements are the signals.
  @inlinable
  public func chunked<Signal: AsyncSequence & Sendable>(
    by signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<Self, [Element], Signal>
  where Signal.Element: Sendable {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: signal)
  }

  /// Collects elements until a signal comes.
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
  where Signal.Element: Sendable, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: signal)
  }

  /// Collects elements until a timer ticks.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameter timer: The timer.
  @inlinable
  public func chunked<C: Clock>(
    by timer: AsyncTimerSequence<C>
  ) -> AsyncChunksOfCountOrSignalSequence<Self, [Element], AsyncTimerSequence<C>> {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: timer)
  }

  /// Collects elements until a timer ticks.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - timer: The timer.
  ///   - into: The type of the collections.
  @inlinable
  public func chunked<C: Clock, Collected: RangeReplaceableCollection>(
    by timer: AsyncTimerSequence<C>, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, AsyncTimerSequence<C>>
  where Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: nil, signal: timer)
  }
}
