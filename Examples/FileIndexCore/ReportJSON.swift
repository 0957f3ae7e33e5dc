import Foundation

/// The report for programs: keys in alphabetical order, lists in an order that does not depend on the run.
package struct ReportJSON: Encodable {
  private let report: IndexReport

  package init(_ report: IndexReport) {
    self.report = report
  }

  /// The JSON as text, with a line feed at its end.
  package func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }

  private enum Key: String, CodingKey {
    case format, folder, interrupted, unfinished, unchanged, removed, walked, indexed, failed, bytes, lines, seconds,
      filesPerSecond, check
    case largest, extensions, failures, skipped
    case path, cksum, reason, `extension`, files
  }

  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: Key.self)
    // Increased when a key changes its meaning or is removed.
    try json.encode(1, forKey: .format)
    try json.encode(report.folder.text, forKey: .folder)
    try json.encode(report.ending == .interrupted, forKey: .interrupted)
    try json.encode(report.walked, forKey: .walked)
    try json.encode(report.totals.files, forKey: .indexed)
    try json.encode(report.failures.count, forKey: .failed)
    try json.encode(report.totals.bytes, forKey: .bytes)
    try json.encode(report.totals.lines, forKey: .lines)
    try json.encode(report.elapsed / .seconds(1), forKey: .seconds)
    try json.encode(report.filesPerSecond, forKey: .filesPerSecond)
    try json.encode(report.isConsistent, forKey: .check)
    if report.ending == .unfinished { try json.encode(true, forKey: .unfinished) }
    if let reuse = report.reuse {
      try json.encode(reuse.unchanged, forKey: .unchanged)
      try json.encode(reuse.removed, forKey: .removed)
    }
    try encodeLists(into: &json)
  }

  private func encodeLists(into json: inout KeyedEncodingContainer<Key>) throws {
    try json.encode(report.largest.files, forKey: .largest) { file, item in
      try item.encode(file.path.text, forKey: .path)
      try item.encode(file.bytes, forKey: .bytes)
      try item.encode(file.lines, forKey: .lines)
      try item.encode(file.checksum, forKey: .cksum)
    }
    try json.encode(report.rankedExtensions, forKey: .extensions) { row, item in
      try item.encode(row.name, forKey: .extension)
      try item.encode(row.totals.files, forKey: .files)
      try item.encode(row.totals.bytes, forKey: .bytes)
      try item.encode(row.totals.lines, forKey: .lines)
    }
    try json.encode(report.failures.sorted { $0.path < $1.path }, forKey: .failures) { failure, item in
      try item.encode(failure.path.text, forKey: .path)
      try item.encode(failure.reason, forKey: .reason)
    }
    try json.encode(report.skipped.sorted { $0.path < $1.path }, forKey: .skipped) { skipped, item in
      try item.encode(skipped.path.text, forKey: .path)
      try item.encode(skipped.rule.rawValue, forKey: .reason)
    }
  }
}

extension KeyedEncodingContainer {
  /// Encodes a list of objects, each filled in by `body`.
  fileprivate mutating func encode<Item>(
    _ items: [Item], forKey key: Key, body: (Item, inout KeyedEncodingContainer<Key>) throws -> Void
  ) throws {
    var list = nestedUnkeyedContainer(forKey: key)
    for item in items {
      var object = list.nestedContainer(keyedBy: Key.self)
      try body(item, &object)
    }
  }
}
