import InterflowTestSupport

extension ExampleOutput {
  /// What has been printed, in a line; without the places in which local types are declared, as examples show it.
  var shortLine: String { line.replacing(/[\w.]*\(unknown context at [^)]*\)\./, with: "") }
}
