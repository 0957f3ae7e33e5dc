/// What becomes of the consumers of a sequence.
enum Fate: CaseIterable {
  /// They take everything.
  case drain
  /// The first leaves before the end.
  case leave
  /// The first one's task is cancelled.
  case cancel
}

extension Agent {
  func fate() -> Fate { Fate.allCases[number(0...2)] }
}
