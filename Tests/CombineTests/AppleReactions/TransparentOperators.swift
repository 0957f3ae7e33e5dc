import Combine

extension AppleReactions {
  /// Operators that send upstream's own subscription on.
  static let transparentOperators: [Reaction] =
    standardReactions(
      of: "Publishers.Map",
      [
        .valueBeforeSubscription: .passes, .completionBeforeSubscription: .passes, .completionAfterCompletion: .passes,
        .valueAfterCancellation: .passes,
      ]
    ) { $0.map { $0 } }
    + standardReactions(
      of: "Publishers.TryMap",
      [
        .completionBeforeSubscription: .isIgnored, .requestBeforeSubscription: .isIgnored,
        .cancellationBeforeSubscription: .isForgotten(), .secondSubscription: .isCancelled,
      ]
    ) { $0.tryMap { $0 } }
    + standardReactions(
      of: "Publishers.TryFilter",
      [.valueBeforeSubscription: .traps("TryFilter received a value before it received a subscription")]
    ) { $0.tryFilter { _ in true } }
}
