/// How Apple's Combine reacts, as rows: what is recorded of it, and where this module departs from that.
///
/// Each family has a file of its own, which adds a list here.
enum AppleReactions {
  static let all: [Reaction] = [
    transparentOperators, transformingOperators, watchingOperators, filteringOperators, reducingOperators,
    gatheringOperators, schedulingOperators, followingOperators, untilOutputOperators, sharingOperators, origins,
    subscribers, values,
  ].flatMap { $0 }

  /// Publishers without a row, with the reason.
  static let withoutRows: [String: String] = stillToCome.merging(nothingRecorded) { first, _ in first }

  /// Publishers whose rows are still to be written.
  private static let stillToCome: [String: String] = Dictionary(
    uniqueKeysWithValues: [
      "CurrentValueSubject",
      "Future",
      "PassthroughSubject",
      "Published.Publisher",
      "Publishers.Buffer",
      "Publishers.CombineLatest",
      "Publishers.CombineLatest3",
      "Publishers.CombineLatest4",
      "Publishers.FlatMap",
      "Publishers.Merge",
      "Publishers.Merge3",
      "Publishers.Merge4",
      "Publishers.Merge5",
      "Publishers.Merge6",
      "Publishers.Merge7",
      "Publishers.Merge8",
      "Publishers.MergeMany",
      "Publishers.SwitchToLatest",
      "Publishers.Zip",
      "Publishers.Zip3",
      "Publishers.Zip4",
    ].map { ($0, "still to come") })

  /// Publishers of which nothing is recorded that a row could state.
  private static let nothingRecorded: [String: String] = [
    "AnyPublisher": "it does what the publisher in it does",
    "Deferred": "it does what the publisher that it makes does",
    "NotificationCenter.Publisher": "nothing is recorded of it",
    "Publishers.CollectByTime": "nothing is recorded of it",
  ]
}
