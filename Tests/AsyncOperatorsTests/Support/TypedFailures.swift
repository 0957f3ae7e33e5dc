import InterflowTestSupport
import Testing

/// Inputs of operators that make sequences of elements, with different failure types.
enum Inputs {
  static let never = ready([1])
  static let error = ready([2], failure: TestError("a"))
  static let other = ready([3], failure: CancellationError())
}

/// Checks the failure types of an operator that makes sequences of elements, and that the failures arrive.
///
/// - Parameters:
///   - none: The operator where nothing can fail.
///   - base: Where the base can fail, with ``Inputs/error``.
///   - inner: Where the sequences can fail, with ``Inputs/error``.
///   - both: Where both can fail, with ``Inputs/error``.
///   - different: Where the base is ``Inputs/error``, and the sequences are ``Inputs/other``.
func expectTypedFailures(
  none: some AsyncSequence, base: some AsyncSequence, inner: some AsyncSequence, both: some AsyncSequence,
  different: some AsyncSequence, sourceLocation: SourceLocation = #_sourceLocation
) async {
  #expect(fails(none, with: Never.self), sourceLocation: sourceLocation)
  #expect(fails(base, with: TestError.self), sourceLocation: sourceLocation)
  #expect(fails(inner, with: TestError.self), sourceLocation: sourceLocation)
  #expect(fails(both, with: TestError.self), sourceLocation: sourceLocation)
  #expect(fails(different, with: (any Error).self), sourceLocation: sourceLocation)
  #expect(await collect(base).error as? TestError == TestError("a"), sourceLocation: sourceLocation)
  #expect(await collect(inner).error as? TestError == TestError("a"), sourceLocation: sourceLocation)
  #expect(await collect(both).error as? TestError == TestError("a"), sourceLocation: sourceLocation)
  #expect(await collect(different).error != nil, sourceLocation: sourceLocation)
}
