/// A sequence over several inputs that a function can make where its type is stated, with the inputs' own types.
///
/// Without a stated type, a function over several sequences wraps an input so that the result's failure type fits all of
/// them. Source written for swift-async-algorithms states the type instead, also where it is generic and knows nothing of
/// the failures:
///
/// ```swift
/// struct Merged<A: AsyncSequence & Sendable, B: AsyncSequence & Sendable>
/// where A.Element == B.Element, A.Element: Sendable {
///   let both: AsyncMerge2Sequence<A, B>
///   init(_ a: A, _ b: B) { both = merge(a, b) }
/// }
/// ```
///
/// The failure type is the first input's then, as it is there. A failure of another input that is not of this type is a
/// programming error, and traps.
///
/// The type is a generic parameter of its own, so that nothing but the context of the call decides it: where there is no
/// such context, these functions do not take part.
public protocol _StatedSequence<_Inputs, _Operator>: AsyncSequence {
  /// What the function is called with.
  associatedtype _Inputs
  /// Which operator it is, one of `_StatedOperator`.
  associatedtype _Operator

  /// Makes the sequence.
  init(_inputs inputs: _Inputs)
}

/// The operators whose results can be stated; see `_StatedSequence`.
public enum _StatedOperator {
  /// Names `merge`.
  public enum Merge {}
  /// Names `zip`.
  public enum Zip {}
  /// Names `combineLatest`.
  public enum CombineLatest {}
  /// Names `chain`.
  public enum Chain {}
  /// Names `joined()` and `joined(separator:)`.
  public enum Joined {}
  /// Names `chunked(by:)` and `chunks(ofCount:or:)` with a signal.
  public enum Chunks {}
}
