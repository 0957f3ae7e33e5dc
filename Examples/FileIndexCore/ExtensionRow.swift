/// The totals of one extension.
package struct ExtensionRow: Equatable, Sendable {
  /// Without the dot; empty for files that have none.
  package var name: String
  package var totals: IndexReport.Totals
}

extension IndexReport {
  /// The extensions, those with the most bytes first, equals by name.
  package var rankedExtensions: [ExtensionRow] {
    byExtension.map { ExtensionRow(name: $0.key, totals: $0.value) }
      .sorted { $0.totals.bytes == $1.totals.bytes ? $0.name < $1.name : $0.totals.bytes > $1.totals.bytes }
  }
}
