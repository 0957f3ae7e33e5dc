import InterflowPrimitives

/// The demand of a source that runs in a loop for as long as there is some, and the right to run that loop.
///
/// One caller at a time runs. A request that finds the loop running, from inside a subscriber or from another thread,
/// adds to what the loop serves and returns, so nothing recurses. One word holds everything, so no lock is needed.
@frozen
@usableFromInline
struct DemandLoop: ~Copyable {
  /// No more values: cancelled, or all delivered.
  @inlinable static var ended: UInt { PackedDemand.flag(7) }
  @inlinable static var running: UInt { PackedDemand.flag(6) }

  @usableFromInline let state = PackedDemand()

  @inlinable
  init() {}

  /// Adds to the demand.
  ///
  /// - Returns: Whether the caller is to run the loop.
  @inlinable
  borrowing func request(_ demand: Subscribers.Demand) -> Bool {
    state.add(demand.rawValue, setting: Self.running, unless: Self.ended) & (Self.running | Self.ended) == 0
  }

  /// Takes the demand that has come in; zero where there is none. For the caller that runs.
  @inlinable
  borrowing func takeBatch() -> UInt { state.takeAll() }

  /// Gives up the right to run.
  ///
  /// - Returns: `false` where more demand or the end has come in, and the caller still runs.
  @inlinable
  borrowing func stop() -> Bool { state.exchange(Self.running, 0) }

  /// Ends the source, from the outside.
  ///
  /// - Returns: Whether nobody runs, so that the caller is to release what the loop holds. Otherwise the loop does.
  @usableFromInline
  borrowing func cancel() -> Bool { state.set(Self.ended) & (Self.running | Self.ended) == 0 }

  /// Ends the source, from the loop.
  ///
  /// - Returns: Whether it had not been cancelled, so that the completion is to be delivered.
  @inlinable
  borrowing func end() -> Bool { state.set(Self.ended) & Self.ended == 0 }

  @inlinable
  var isCancelled: Bool { state.hasFlag(Self.ended) }
}
