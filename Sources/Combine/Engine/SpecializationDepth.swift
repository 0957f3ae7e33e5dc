/// How far a chain of operators grows as one type.
///
/// A subscriber's type names every operator below it, so its code is specialised for all of them: an operator costs a
/// nanosecond or two. But the compiler gives up on a type that has grown for too long, as it does where an operator is in
/// it for the third time. From there on nothing is specialised, and each operator costs twenty. So the type grows up to
/// a limit, which is two stages, and then the chain goes on behind a ``ChainReceiver``, for the price of a call.
///
/// The subscribers of publishers that are made for each value, as by `flatMap`, count for nothing: a receiver in front of
/// each would cost more than it saves.
///
/// The depths are part of the types, so that the compiler decides, and leaves nothing to do when the program runs.
@frozen
@usableFromInline
enum SpecializationDepth {
  @inlinable static var passThrough: Int { 1 }
  @inlinable static var stage: Int { 4 }
  /// Leaves room for one stage or a few pass-throughs. With room for more, types would grow and shrink all along the
  /// chain, and the compiler take it for one that never ends.
  @inlinable static var receiver: Int { 4 }
  @inlinable static var limit: Int { 8 }
}
