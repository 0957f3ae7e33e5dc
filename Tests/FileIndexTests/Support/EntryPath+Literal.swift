import FileIndexCore

extension EntryPath: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) {
    self.init(text)
  }
}
