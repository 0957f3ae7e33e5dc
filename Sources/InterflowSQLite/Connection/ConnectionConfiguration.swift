/// What a connection is opened with.
struct ConnectionConfiguration: Sendable {
  enum Location: Sendable {
    case memory
    case file(String)
  }

  let location: Location
  let options: DatabaseOptions
  /// Whether the file is made, and set to write-ahead logging. Readers are opened after that.
  let isWriter: Bool
}
