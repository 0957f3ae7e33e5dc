/// Takes the place of the standard output in tests of examples, which call it as `print`.
package final class ExampleOutput: Sendable {
  private let printed = Shared<[String]>([])

  package init() {}

  /// What has been printed, call by call.
  package var lines: [String] { printed.value }
  /// What has been printed, in a line.
  package var line: String { lines.joined(separator: ", ") }

  package func callAsFunction(_ values: Any...) {
    printed.update { $0.append(values.map { "\($0)" }.joined(separator: " ")) }
  }
}
