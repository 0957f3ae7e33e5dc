import FileIndexCore

extension EntryPath: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// A path as a test writes it.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}
