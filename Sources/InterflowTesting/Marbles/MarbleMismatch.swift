/// The signals of a stream are not those of a marble diagram.
public struct MarbleMismatch: Error, Hashable, CustomStringConvertible {
  /// The expected diagram.
  public let expected: String
  /// The diagram of the stream, with each frame in the same column as in ``expected``.
  ///
  /// `…` stands for what came more than 200 frames after the end of ``expected``, or after 1,000 signals more than were
  /// expected; ``legend`` lists the first of it.
  public let actual: String
  /// The first frame in which they differ.
  public let frame: Int
  /// A description of the difference.
  public let reason: String
  /// The values of the characters in both diagrams, except for characters that stand for themselves.
  public let legend: [String]
  /// The module and the file of the expectation.
  public let fileID: String
  /// The line of the expectation.
  public let line: Int

  let caret: Int

  /// Both diagrams, one above the other, the first difference, and the values of the characters.
  public var description: String {
    """
    \(fileID):\(line): the stream did not do what the diagram says
      expected  \(expected)
      actual    \(actual)
                \(String(repeating: " ", count: caret))^ frame \(frame): \(reason)
    """ + legend.map { "\n  \($0)" }.joined()
  }
}
