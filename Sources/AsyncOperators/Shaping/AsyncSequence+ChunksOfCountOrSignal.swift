// The failure type of the result is chosen here, since Swift cannot compute it of two: a signal that cannot fail does not
// count, and different types give `any Error`. The result has that of its base, which is wrapped where it has another
// one. All but the first function are disfavored, and so a more special one is chosen among the others.

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Collects elements until there are enough, or a signal comes, where both fail in the same way.
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

  /// Collects elements until there are enough, or a signal comes, where both fail in the same way.
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
  @_disfavoredOverload
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
  @_disfavoredOverload
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, Signal>
  where Signal.Element: Sendable, Signal.Failure == Never, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes. The sequence cannot fail, the signal can.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  @_disfavoredOverload
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable>(
    ofCount count: Int, or signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<AsyncWidenedFailureSequence<Self, Signal.Failure>, [Element], Signal>
  where Signal.Element: Sendable, Failure == Never {
    AsyncChunksOfCountOrSignalSequence(AsyncWidenedFailureSequence(self), count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes. The sequence cannot fail, the signal can.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @_disfavoredOverload
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<AsyncWidenedFailureSequence<Self, Signal.Failure>, Collected, Signal>
  where Signal.Element: Sendable, Failure == Never, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(AsyncWidenedFailureSequence(self), count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes, where the signal fails in another way.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  @_disfavoredOverload
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable>(
    ofCount count: Int, or signal: Signal
  ) -> AsyncChunksOfCountOrSignalSequence<AsyncWidenedFailureSequence<Self, any Error>, [Element], Signal>
  where Signal.Element: Sendable {
    AsyncChunksOfCountOrSignalSequence(AsyncWidenedFailureSequence(self), count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a signal comes, where the signal fails in another way.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @_disfavoredOverload
  @inlinable
  public func chunks<Signal: AsyncSequence & Sendable, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or signal: Signal, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<AsyncWidenedFailureSequence<Self, any Error>, Collected, Signal>
  where Signal.Element: Sendable, Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(AsyncWidenedFailureSequence(self), count: count, signal: signal)
  }

  /// Collects elements until there are enough, or a timer ticks.
  ///
  /// ```swift
  /// for await batch in lines.chunks(ofCount: 100, or: .repeating(every: .seconds(1))) {
  ///   print(batch)
  /// }
  /// ```
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - timer: The timer whose ticks are the signals.
  @_disfavoredOverload
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
  ///   - timer: The timer whose ticks are the signals.
  ///   - into: The type of the collections.
  @_disfavoredOverload
  @inlinable
  public func chunks<C: Clock, Collected: RangeReplaceableCollection>(
    ofCount count: Int, or timer: AsyncTimerSequence<C>, into: Collected.Type
  ) -> AsyncChunksOfCountOrSignalSequence<Self, Collected, AsyncTimerSequence<C>>
  where Collected.Element == Element {
    AsyncChunksOfCountOrSignalSequence(self, count: count, signal: timer)
  }

  /// Collects elements until there are enough, or a signal comes, where the type of the result is stated.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``, whose failure type is that of its base.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  @_disfavoredOverload
  @inlinable
  public func chunks<Signal, Stated: _StatedSequence>(
    ofCount count: Int, or signal: Signal
  ) -> Stated
  where
    Stated._Inputs == (Self, Int?, Signal), Stated._Operator == _StatedOperator.Chunks, Stated.Element == [Element]
  {
    Stated(_inputs: (self, count, signal))
  }

  /// Collects elements until there are enough, or a signal comes, where the type of the result is stated.
  ///
  /// See ``AsyncChunksOfCountOrSignalSequence``, whose failure type is that of its base.
  ///
  /// - Parameters:
  ///   - count: How many elements are enough.
  ///   - signal: The sequence whose elements are the signals.
  ///   - into: The type of the collections.
  @_disfavoredOverload
  @inlinable
  public func chunks<Signal, Stated: _StatedSequence, Collected>(
    ofCount count: Int, or signal: Signal, into: Collected.Type
  ) -> Stated
  where
    Stated._Inputs == (Self, Int?, Signal), Stated._Operator == _StatedOperator.Chunks, Stated.Element == Collected
  {
    Stated(_inputs: (self, count, signal))
  }
}
