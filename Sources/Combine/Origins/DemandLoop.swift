import InterflowPrimitives

/// The demand of an origin that delivers its values in a loop, and the right to run that loop.
///
/// One thread at a time runs the loop. A request that is made while the loop runs, from inside the subscriber or on
/// another thread, adds to the demand that the loop serves, and returns; so requests do not recurse. One atomic word
/// holds everything, so no lock is needed.
@frozen
@usableFromInline
struct DemandLoop: ~Copyable {
  /// Cancelled, or all values have been delivered.
  @inlinable static var ended: UInt { PackedDemand.flag(7) }
  @inlinable static var running: UInt { PackedDemand.flag(6) }

  @usableFromInline let state = PackedDemand()

  @inlinable
  init() {}

  /// Adds to the demand.
  ///
  /// - Returns: Whether the caller must run the loop.
  @inlinable
  borrowing func request(_ demand: Subscribers.Demand) -> Bool {
    state.add(demand.rawValue, setting: Self.running, unless: Self.ended) & (Self.running | Self.ended) == 0
  }

  /// Takes the whole demand; zero if there is none. For the thread that runs the loop.
  @inlinable
  borrowing func takeBatch() -> UInt { state.takeAll() }

  /// Gives up the right to run the loop.
  ///
  /// - Returns: `false` if there is new demand or the origin has ended. The caller then still runs the loop.
  @inlinable
  borrowing func stop() -> Bool { state.exchange(Self.running, 0) }

  /// Ends the origin, on any thread.
  ///
  /// - Returns: Whether the loop is not running, so that the caller must release what the loop holds. Otherwise the
  ///   loop releases it.
  @usableFromInline
  borrowing func cancel() -> Bool { state.set(Self.ended) & (Self.running | Self.ended) == 0 }

  /// Ends the origin, from the loop.
  ///
  /// - Returns: Whether it had not been cancelled, so that the completion is to be delivered.
  @inlinable
  borrowing func end() -> Bool { state.set(Self.ended) & Self.ended == 0 }

  @inlinable
  var isCancelled: Bool { state.hasFlag(Self.ended) }
}
