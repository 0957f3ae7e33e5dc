/// A parsed marble diagram: the marks of each frame.
///
/// The syntax is documented in the article `MarbleDiagrams`; change both together.
struct MarbleSyntax: Equatable {
  enum Mark: Equatable {
    case value(Character)
    case anyValue
    case finished
    case failure
    case subscription
    case cancellation
  }

  struct Entry: Equatable {
    let mark: Mark
    let frame: Int
    let column: Int
  }

  static let reserved: Set<Character> = ["-", "|", "#", "(", ")", "^", "!", "?"]

  let text: String
  private(set) var entries: [Entry] = []
  private(set) var frames = 0

  init(_ text: String) throws(MarbleSyntaxError) {
    self.text = text
    var group: (column: Int, isEmpty: Bool)?
    var last: Entry?
    for (index, character) in text.enumerated() where !character.isWhitespace {
      let column = index + 1
      switch character {
      case "-":
        if group != nil { throw error(column, "time does not pass inside a group; close it with ')' first") }
        if let end = last, end.mark.isEnd { throw error(column, "nothing comes after \(end.mark.title)") }
        frames += 1
      case "(":
        if group != nil { throw error(column, "a group cannot contain a group") }
        group = (column, true)
      case ")":
        guard let open = group else { throw error(column, "a group ends here that has not begun") }
        if open.isEmpty { throw error(open.column, "a group needs something in it") }
        group = nil
        frames += 1
      default:
        let entry = Entry(mark: Mark(character), frame: frames, column: column)
        try check(entry, after: last)
        entries.append(entry)
        last = entry
        if group == nil { frames += 1 } else { group?.isEmpty = false }
      }
    }
    if let group { throw error(group.column, "the group that begins here does not end") }
  }

  /// The frame in which to subscribe, if the diagram has one.
  var subscription: Int? { entries.first { $0.mark == .subscription }?.frame }

  /// The frame in which to cancel, if the diagram has one.
  var cancellation: Int? { entries.first { $0.mark == .cancellation }?.frame }

  /// The marks that stand for a stream's signals.
  var signals: [Entry] { entries.filter { $0.mark != .subscription && $0.mark != .cancellation } }

  /// Throws if a diagram of a source contains a subscription or a cancellation.
  func checkSource() throws(MarbleSyntaxError) {
    for entry in entries where [.subscription, .cancellation, .anyValue].contains(entry.mark) {
      throw error(entry.column, "\(entry.mark.title) belongs in what a test expects; a source does not choose it")
    }
  }

  func error(_ column: Int, _ reason: String) -> MarbleSyntaxError {
    MarbleSyntaxError(text, column: column, reason)
  }

  private func check(_ entry: Entry, after last: Entry?) throws(MarbleSyntaxError) {
    if let last, last.mark.isEnd { throw error(entry.column, "nothing comes after \(last.mark.title)") }
    if entry.mark == .subscription, !entries.isEmpty {
      throw error(entry.column, "nothing comes before the subscription ('^')")
    }
  }
}

extension MarbleSyntax.Mark {
  init(_ character: Character) {
    self =
      switch character {
      case "|": .finished
      case "#": .failure
      case "^": .subscription
      case "!": .cancellation
      case "?": .anyValue
      default: .value(character)
      }
  }

  var isEnd: Bool {
    switch self {
    case .finished, .failure, .cancellation: true
    case .value, .anyValue, .subscription: false
    }
  }

  var title: String {
    switch self {
    case .value(let character): "'\(character)'"
    case .anyValue: "any value ('?')"
    case .finished: "the end ('|')"
    case .failure: "the failure ('#')"
    case .subscription: "the subscription ('^')"
    case .cancellation: "the cancellation ('!')"
    }
  }
}
