/// The characters that stand for values in a printed diagram.
struct MarbleNames<Value: Equatable> {
  private var known: [(name: Character, value: Value)]
  private var taken: Set<Character>

  init(values: [Character: Value]) {
    known = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    taken = MarbleSyntax.reserved.union(values.keys)
  }

  /// Finds a name for a value: its own, if it is a single character, or the first that is free.
  mutating func add(_ value: Value) {
    if known.contains(where: { $0.value == value }) { return }
    let text = "\(value)"
    let own = text.count == 1 ? text.first.flatMap { taken.contains($0) || $0.isWhitespace ? nil : $0 } : nil
    let name = own ?? "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".first { !taken.contains($0) } ?? "?"
    known.append((name, value))
    taken.insert(name)
  }

  func mark<Failure>(of kind: RecordedSignal<Value, Failure>.Kind) -> String {
    switch kind {
    case .value(let value): known.first { $0.value == value }.map { "\($0.name)" } ?? "?"
    case .finished: "|"
    case .failure: "#"
    case .subscription: "^"
    }
  }

  func title<Failure>(of kind: RecordedSignal<Value, Failure>.Kind) -> String {
    switch kind {
    case .value: "'\(mark(of: kind))'"
    case .finished: MarbleSyntax.Mark.finished.title
    case .failure: MarbleSyntax.Mark.failure.title
    case .subscription: MarbleSyntax.Mark.subscription.title
    }
  }

  /// The values of the names, except for characters that stand for themselves.
  var legend: [String] {
    known.filter { "\($0.value)" != "\($0.name)" }.map { "\($0.name) = \($0.value)" }
  }
}

extension MarbleSyntax.Mark {
  /// The character.
  var text: String {
    switch self {
    case .value(let character): "\(character)"
    case .anyValue: "?"
    case .finished: "|"
    case .failure: "#"
    case .subscription: "^"
    case .cancellation: "!"
    }
  }
}
