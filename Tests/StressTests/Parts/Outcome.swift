/// What becomes of the consumers of a sequence.
enum Outcome: CaseIterable {
  /// They take everything.
  case drain
  /// The first leaves before the end.
  case leave
  /// The first one's task is cancelled.
  case cancel
}

extension Participant {
  func outcome() -> Outcome { Outcome.allCases[number(0...2)] }
}
