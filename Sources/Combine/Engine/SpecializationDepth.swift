/// Limits how many operators of a chain one subscriber type names.
///
/// A subscriber's type names every operator downstream of it, so its code is specialised for all of them, and an
/// operator costs a nanosecond or two. But the compiler stops to specialise a type that has become too deep, as it does
/// if the same operator is in it for the third time. From there on each operator costs twenty nanoseconds. So the type
/// grows up to a limit, which is two stages, and then a ``ChainReceiver`` erases it, for the price of a call.
///
/// The subscribers of publishers that are made for each value, as by `flatMap`, have depth zero: a receiver for each of
/// them would cost more than it saves.
///
/// Depths are static properties of the types, so that the compiler evaluates them and nothing is left to do at run
/// time.
@frozen
@usableFromInline
enum SpecializationDepth {
  @inlinable static var passThrough: Int { 1 }
  @inlinable static var stage: Int { 4 }
  /// Leaves room for one stage or a few pass-throughs. With room for more, types would grow and shrink along the chain,
  /// and the compiler would take this for an infinite recursion.
  @inlinable static var receiver: Int { 4 }
  @inlinable static var limit: Int { 8 }
}
