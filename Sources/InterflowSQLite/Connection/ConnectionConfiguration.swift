/// What a connection is opened with.
struct ConnectionConfiguration: Sendable {
  enum Location: Sendable {
    case memory
    case file(String)

    init(path: String) throws(DatabaseError) {
      guard !path.isEmpty else {
        throw .misuse("the path of a database is empty: name a file, or use inMemory(options:)")
      }
      guard !path.hasPrefix("file:") else {
        throw .misuse("a URI is no path of a database: set DatabaseOptions instead of its parameters: \(path)")
      }
      self = path == ":memory:" ? .memory : .file(path)
    }
  }

  let location: Location
  let options: DatabaseOptions
  /// Whether the file is made, and set to write-ahead logging. Readers are opened after that.
  let isWriter: Bool
  /// The file that all connections must have.
  var file: OpenedFile?
}
