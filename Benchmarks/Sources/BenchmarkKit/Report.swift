import Foundation

/// All that was measured in one run of the program.
package struct Report: Sendable {
  package var references: [Measurement] = []
  package var measurements: [Measurement] = []
  package var series: [Series] = []
  /// The largest resident size, in bytes.
  package var peak = 0

  /// How many times as long as the machine of the goals this one takes; the goals are multiplied by it.
  package var machineFactor: Double?

  package init() {}

  /// The median of the first reference row, which ratios are to.
  package var reference: Double? { references.first?.median }

  // MARK: Text

  package var text: String {
    var table = [["scenario", "median", "minimum", "spread", "ratio", "goal", ""]]
    for row in references + measurements {
      table.append([
        row.name, Self.figure(row.median), Self.figure(row.minimum), "\(Int((row.spread * 100).rounded())) %",
        ratio(row).map { String(format: "%.3f", $0) } ?? "",
        row.goal.map(Self.figure) ?? "–",
        row.meetsGoal.map { $0 ? "" : "over" } ?? "",
      ])
    }
    var parts = [Self.aligned(table)]
    if !series.isEmpty { parts.append(series.map(Self.describe).joined(separator: "\n")) }
    if let machineFactor { parts.append("goals in nanoseconds: times \(Self.figure(machineFactor)) for this machine") }
    parts.append("peak resident size: \(peak / (1 << 20)) MiB")
    return parts.joined(separator: "\n\n")
  }

  private func ratio(_ row: Measurement) -> Double? {
    guard let reference, reference > 0, row.unit.hasPrefix("ns") else { return nil }
    return row.median / reference
  }

  private static func describe(_ series: Series) -> String {
    let points = series.points.map { "\($0.size): \(figure($0.figure))" }.joined(separator: ", ")
    let growth =
      switch series.growth {
      case .perUnit(let unit): "for each further \(unit)"
      case .perDecade: "for each tenfold size"
      }
    let goal = series.goal.map { ", goal \(figure($0))" + (series.slope > $0 ? " over" : "") } ?? ""
    return "\(series.name): \(points)\n  slope \(String(format: "%+.3f", series.slope)) ns \(growth)\(goal)"
  }

  package static func figure(_ value: Double) -> String {
    value < 10 ? String(format: "%.2f", value) : value < 100 ? String(format: "%.1f", value) : "\(Int(value.rounded()))"
  }

  /// Columns side by side: the first to the left, the others to the right.
  private static func aligned(_ rows: [[String]]) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }

  // MARK: JSON

  private struct Row: Encodable {
    let name: String
    let median: Double
    let minimum: Double
    let unit: String
    var spread: Double?
    var ratio: Double?
    var goal: Double?
    var runs: [Double]?
  }

  /// An array of objects, each with `name`, `median`, `minimum` and `unit`.
  package func json() throws -> String {
    var rows = (references + measurements).map {
      Row(
        name: $0.name, median: $0.median, minimum: $0.minimum, unit: $0.unit, spread: $0.spread, ratio: ratio($0),
        goal: $0.goal, runs: $0.runs)
    }
    for series in series {
      for point in series.points {
        rows.append(
          Row(
            name: "\(series.name): \(point.size)", median: point.figure, minimum: point.figure, unit: "ns"))
      }
      rows.append(Row(name: "\(series.name): slope", median: series.slope, minimum: series.slope, unit: "ns"))
    }
    rows.append(Row(name: "peak resident size", median: Double(peak), minimum: Double(peak), unit: "bytes"))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(rows), as: UTF8.self)
  }
}
