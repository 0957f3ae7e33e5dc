import InterflowTestSupport
import Combine

extension AppleReactions {
  /// Operators for which a value, a completion or a request before the subscription is a mistake of the program.
  static let filteringOperators: [Reaction] = [
    strictOperator("Publishers.TryFilter") { $0.tryFilter { _ in true } },
    strictOperator("Publishers.TryCompactMap") { $0.tryCompactMap { $0 } },
    strictOperator("Publishers.RemoveDuplicates") { $0.removeDuplicates() },
    strictOperator("Publishers.TryRemoveDuplicates") { $0.tryRemoveDuplicates { $0 == $1 } },
    strictOperator("Publishers.PrefixWhile") { $0.prefix { _ in true } },
    strictOperator("Publishers.TryPrefixWhile") { $0.tryPrefix { _ in true } },
    dropWhile("Publishers.DropWhile") { $0.drop { _ in false } },
    dropWhile("Publishers.TryDropWhile") { $0.tryDrop { _ in false } },
    throwing("Publishers.TryFilter") { $0.tryFilter { _ in throw TestError() } },
    throwing("Publishers.TryCompactMap") {
      $0.tryCompactMap { _ -> Int? in throw TestError() }
    },
    throwing("Publishers.TryPrefixWhile") { $0.tryPrefix { _ in throw TestError() } },
    throwing("Publishers.TryDropWhile") { $0.tryDrop { _ in throw TestError() } },
    throwing("Publishers.TryRemoveDuplicates") {
      $0.prepend(1).tryRemoveDuplicates { _, _ in throw TestError() }
    },
  ].flatMap { $0 }

  private static func strictOperator<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> [Reaction] {
    let name = publisher.dropFirst("Publishers.".count)
    return standardReactions(
      of: publisher,
      .ownSubscription.with([
        .valueBeforeSubscription: .traps("\(name) received a value before it received a subscription"),
        .completionBeforeSubscription: .traps("\(name) received a completion before it received a subscription"),
        .requestBeforeSubscription: .traps("\(name) received a request before it received a subscription"),
        .cancellationBeforeSubscription: .counts, .valueAfterCompletion: .isIgnored,
        .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored, .completionAfterCancellation: .isIgnored,
      ]), make: make)
  }

  private static func dropWhile<P: Publisher & SendableMetatype>(
    _ publisher: String, _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> [Reaction] {
    standardReactions(
      of: publisher,
      .ownSubscription.with([
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .isIgnored,
        .requestBeforeSubscription: .isIgnored, .cancellationBeforeSubscription: .isForgotten(),
        .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored, .completionAfterCancellation: .isIgnored,
        .requestForNone: .isForwarded,
      ]), departures: [.requestForNone: .noneIsNoMistake], make: make)
  }
}
