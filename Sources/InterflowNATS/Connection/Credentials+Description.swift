/// Credentials appear in logs, as a part of the options that contain them: without what is secret.
extension NATSOptions.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind of credentials, without a password or a token.
  public var description: String {
    switch self {
    case .user(let user, password: _): "user “\(user)” with a password"
    case .token: "a token"
    case .tokens: "tokens of a closure"
    case .file(let path): "the file “\(path)”"
    }
  }

  /// The kind of credentials, without a password or a token.
  public var debugDescription: String { description }

  /// Shows no children, of which one would be a password or a token.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
