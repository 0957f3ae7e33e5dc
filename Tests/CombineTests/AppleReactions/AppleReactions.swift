/// How Apple's Combine reacts, as rows: what is recorded of it, and where this module departs from that.
///
/// Each family has a file of its own, which adds a list here.
enum AppleReactions {
  static let all: [Reaction] = [
    transparentOperators, transformingOperators, watchingOperators, filteringOperators, reducingOperators,
    gatheringOperators, schedulingOperators, followingOperators, untilOutputOperators, joiningOperators,
    flatteningOperators, bufferingOperators, sharingOperators, subjects, origins, subscribers, values, asyncSequences,
  ].flatMap { $0 }

  /// Publishers without a row, with the reason: nothing is recorded that a row could state.
  static let withoutRows: [String: String] = [
    "AnyPublisher": "it does what the publisher in it does",
    "Deferred": "it does what the publisher that it makes does",
    "NotificationCenter.Publisher": "nothing is recorded of it",
    "Published.Publisher": "nothing is recorded of it",
  ]
}
