import InterflowTestSupport
import Combine

extension AppleReactions {
  /// Operators that send upstream's own subscription on: everything passes, in both directions, at any time.
  static let transparentOperators: [Reaction] = [
    transparentOperator("Publishers.Map") { $0.map { $0 } },
    transparentOperator("Publishers.Map", "replaceNil") {
      $0.map { Int?.some($0) }.eraseToAnyPublisher().replaceNil(with: 0)
    },
    transparentOperator("Publishers.MapKeyPath") { $0.map(\.self) },
    transparentOperator("Publishers.MapKeyPath2", delivery: "(1, 1)") { $0.map(\.self, \.magnitude) },
    transparentOperator("Publishers.MapKeyPath3", delivery: "(1, 1, 64)") { $0.map(\.self, \.magnitude, \.bitWidth) },
    transparentOperator("Publishers.MapError") { $0.mapError { $0 as any Error } },
    transparentOperator("Publishers.SetFailureType") {
      $0.assertNoFailure().setFailureType(to: TestError.self)
    },
    transparentOperator("Publishers.Scan") { $0.scan(0) { $1 } },
    transparentOperator("Publishers.AssertNoFailure") { $0.assertNoFailure() },
    transparentOperator("Publishers.Breakpoint") { $0.breakpoint() },
    transparentOperator("Publishers.Filter") { $0.filter { $0 == 1 } },
    transparentOperator("Publishers.CompactMap") { $0.compactMap { $0 } },
    ignoringOutput,
    [
      Reaction("Publishers.Filter", "a value that is dropped", ["upstream gets max(1)"]) { log in
        let stream = LoggedStream(log) { $0.filter { $0 == 1 } }
        log.clear()
        stream.send(2)
      },
      Reaction("Publishers.CompactMap", "a value that is dropped", ["upstream gets max(1)"]) { log in
        let stream = LoggedStream(log) { $0.compactMap { _ in Int?.none } }
        log.clear()
        stream.send(2)
      },
      Reaction("Publishers.AssertNoFailure", "a failure", .traps("test error")) { log in
        LoggedStream(log) { $0.assertNoFailure() }.fail()
      },
    ],
  ].flatMap { $0 }

  private static func transparentOperator<P: Publisher & SendableMetatype>(
    _ publisher: String, _ variant: String = "", delivery: String = "1",
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> [Reaction] {
    standardReactions(
      of: publisher, variant: variant, delivery: ["value \(delivery)", "upstream gets max(7)"],
      [
        .valueBeforeSubscription: .passes, .completionBeforeSubscription: .passes, .secondSubscription: .isSentOn(),
        .valueAfterCompletion: .passes, .completionAfterCompletion: .passes, .valueAfterCancellation: .passes,
        .completionAfterCancellation: .passes, .subscriptionAfterCompletion: .isSentOn(),
        .subscriptionAfterCancellation: .isSentOn(), .requestForNone: .isForwarded, .repeatedCancellation: .passes,
      ], make: make)
      + [
        Reaction(publisher, suffixed("the subscription's description", variant), ["Subscription of upstream"]) { log in
          let stream = LoggedStream(log, make)
          log.clear()
          log.add(stream.downstream.subscription.map { "\($0)" } ?? "none")
        }
      ]
  }

  private static let passedUp = ["upstream: cancel", "upstream: cancel", "upstream: request max(1)"]

  private static func suffixed(_ situation: String, _ variant: String) -> String {
    variant.isEmpty ? situation : "\(situation), \(variant)"
  }

  private static let ignoringOutput: [Reaction] =
    standardReactions(
      of: "Publishers.IgnoreOutput",
      [
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .passes,
        .secondSubscription: .isSentOn(asking: [.unlimited]), .completionAfterCompletion: .passes,
        .requestForNone: .isForwarded, .repeatedCancellation: .passes,
      ]
    ) { $0.ignoreOutput() }
    + [
      Reaction(
        "Publishers.IgnoreOutput", "requests and cancellations",
        [
          "subscription", "upstream: request max(42)", "upstream: request unlimited", "upstream: request max(3)",
        ] + passedUp
      ) { log in
        let stream = LoggedStream(log, demand: .max(42)) { $0.ignoreOutput() }
        stream.request(.max(3))
        stream.cancel()
        stream.cancel()
        stream.request(.max(1))
      },
      Reaction("Publishers.IgnoreOutput", "the subscription's description", ["Subscription of upstream"]) { log in
        let stream = LoggedStream(log) { $0.ignoreOutput() }
        log.clear()
        log.add(stream.downstream.subscription.map { "\($0)" } ?? "none")
      },
    ]
}
