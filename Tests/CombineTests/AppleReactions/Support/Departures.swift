extension Reaction.Departure {
  /// What an operator with state does after its end.
  static let nothingAfterTheEnd = Self(
    apples: "it passes", because: "nothing is delivered after a completion or a cancellation")

  /// A request for none where Apple's traps.
  static let noneIsNoMistake = Self(apples: "the process stops", because: "a program that asks for nothing can go on")
}

extension Dictionary where Key == StandardSituation, Value == Reaction.Departure {
  /// The four situations after the end, where Apple's passes what comes.
  static func nothing(after situations: StandardSituation...) -> Self {
    Dictionary(uniqueKeysWithValues: situations.map { ($0, .nothingAfterTheEnd) })
  }
}
