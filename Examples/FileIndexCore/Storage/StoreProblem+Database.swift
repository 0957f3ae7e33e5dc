import InterflowSQLite

extension StoreProblem {
  /// The problem that an error of the database is reported as.
  init(_ file: String, _ error: DatabaseError) {
    let reason =
      switch error.kind {
      case .missing: "there is no such file, or no folder that it can be made in"
      case .directory: "it is a folder"
      case .readOnly: "it cannot be written to (\(error.message))"
      case .corrupt: "it is not a database of SQLite, or it is damaged (\(error.message))"
      case .newerSchema: "a newer version of this program has written it (\(error.message))"
      case .locked: "another program is writing to it (\(error.message))"
      case .full: "there is no room for what is to be stored (\(error.message))"
      default: error.description
      }
    self.init(file: file, reason: reason)
  }
}
