/// What a server says about a value that it has stored.
public struct NATSReceipt: Sendable, Hashable {
  /// The number of the value in its stream.
  public let sequence: UInt64
  /// Whether a value with the same identifier was in the stream already, so that this one was not stored again.
  public let isDuplicate: Bool
}
