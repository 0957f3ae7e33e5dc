/// Why a database cannot be used.
package struct StoreProblem: Error, Equatable, CustomStringConvertible {
  package var file: String
  package var reason: String

  package var description: String {
    "cannot use the database '\(file.escapingControlCharacters)': \(reason.escapingControlCharacters)"
  }
}
