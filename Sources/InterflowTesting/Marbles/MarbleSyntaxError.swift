/// A marble diagram whose syntax is wrong.
public struct MarbleSyntaxError: Error, Hashable, CustomStringConvertible {
  /// The diagram.
  public let diagram: String
  /// The column of the mistake; the first is 1.
  public let column: Int
  /// A description of the mistake.
  public let reason: String

  init(_ diagram: String, column: Int, _ reason: String) {
    self.diagram = diagram
    self.column = column
    self.reason = reason
  }

  /// The column, the description of the mistake, and the diagram with a mark below the column.
  public var description: String {
    let line = String(diagram.map { $0.isWhitespace ? " " : $0 })
    return """
      column \(column) of the diagram: \(reason)
        \(line)
        \(String(repeating: " ", count: column - 1))^
      """
  }
}
