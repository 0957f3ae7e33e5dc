/// How a database is opened.
public struct DatabaseOptions: Sendable {
  /// Whether nothing may be changed. The file must exist then.
  public var isReadOnly = false

  /// Whether a file that does not exist is made.
  public var createsFile = true

  /// How long an access waits for a lock that another process holds before it fails.
  public var busyTimeout: Duration = .seconds(5)

  /// How many reads can run at the same time. At least one; a database in memory has one connection for everything.
  public var readerCount = 4

  /// How many prepared statements each connection keeps.
  public var statementCacheCapacity = 100

  /// The usual options.
  public init() {}
}
