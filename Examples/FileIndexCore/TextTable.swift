/// Rows of text in aligned columns.
struct TextTable {
  /// A column and the alignment of its cells.
  enum Column {
    /// Right-aligned.
    case number(String)
    /// Left-aligned.
    case text(String)

    var title: String {
      switch self {
      case .number(let title), .text(let title): title
      }
    }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  init(columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row, one cell for each column.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row needs a cell for each column")
    rows.append(cells)
  }

  /// The titles and the rows, without a line feed at the end.
  var text: String {
    let lines = [columns.map(\.title)] + rows
    let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { cells in
      let padded = columns.indices.map { index in
        let space = String(repeating: " ", count: widths[index] - cells[index].count)
        return switch columns[index] {
        case .number: space + cells[index]
        case .text: index == columns.indices.last ? cells[index] : cells[index] + space
        }
      }
      return padded.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
