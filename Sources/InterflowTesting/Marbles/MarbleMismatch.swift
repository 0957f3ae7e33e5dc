/// A stream did something else than a marble diagram says.
public struct MarbleMismatch: Error, Hashable, CustomStringConvertible {
  /// The diagram of what was expected.
  public let expected: String
  /// The diagram of what the stream did, laid out so that each frame is in the same column as in ``expected``.
  public let actual: String
  /// The first frame in which they differ.
  public let frame: Int
  /// What the difference is.
  public let reason: String
  /// What the characters of both diagrams stand for, except those that stand for themselves.
  public let legend: [String]
  /// Where the expectation is written: the module and the file.
  public let fileID: String
  /// Where the expectation is written.
  public let line: Int

  let caret: Int

  /// Both diagrams, one above the other, what the first difference is, and what the characters stand for.
  public var description: String {
    """
    \(fileID):\(line): the stream did not do what the diagram says
      expected  \(expected)
      actual    \(actual)
                \(String(repeating: " ", count: caret))^ frame \(frame): \(reason)
    """ + legend.map { "\n  \($0)" }.joined()
  }
}
