import InterflowTestSupport
import Combine

extension AppleReactions {
  /// Operators that take everything and deliver one result.
  static let reducingOperators: [Reaction] = [
    withResult("Publishers.AllSatisfy") { $0.allSatisfy { _ in true } },
    withResult("Publishers.TryAllSatisfy") { $0.tryAllSatisfy { _ in true } },
    withResult("Publishers.Collect") { $0.collect() },
    withResult("Publishers.Contains") { $0.contains(1) },
    withResult("Publishers.ContainsWhere") { $0.contains { $0 == 1 } },
    withResult("Publishers.TryContainsWhere") { $0.tryContains { $0 == 1 } },
    withResult("Publishers.Count") { $0.count() },
    withResult("Publishers.Reduce") { $0.reduce(0, +) },
    withResult("Publishers.TryReduce") { $0.tryReduce(0) { $0 + $1 } },
    withoutResult("Publishers.Comparison", "min") { $0.min() },
    withoutResult("Publishers.Comparison", "max") { $0.max() },
    withoutResult("Publishers.Comparison", "min(by:)") { $0.min { $0 < $1 } },
    withoutResult("Publishers.Comparison", "max(by:)") { $0.max { $0 < $1 } },
    withoutResult("Publishers.TryComparison", "tryMin(by:)") { $0.tryMin { $0 < $1 } },
    withoutResult("Publishers.TryComparison", "tryMax(by:)") { $0.tryMax { $0 < $1 } },
    withoutResult("Publishers.First") { $0.first() },
    withoutResult("Publishers.FirstWhere") { $0.first { $0 == 1 } },
    withoutResult("Publishers.TryFirstWhere") { $0.tryFirst { $0 == 1 } },
    withoutResult("Publishers.Last") { $0.last() },
    withoutResult("Publishers.LastWhere") { $0.last { $0 == 1 } },
    withoutResult("Publishers.TryLastWhere") { $0.tryLast { $0 == 1 } },
    throwing("Publishers.TryAllSatisfy") { $0.tryAllSatisfy { _ in throw TestError() } },
    throwing("Publishers.TryContainsWhere") { $0.tryContains { _ in throw TestError() } },
    throwing("Publishers.TryFirstWhere") { $0.tryFirst { _ in throw TestError() } },
    throwing("Publishers.TryLastWhere") { $0.tryLast { _ in throw TestError() } },
    throwing("Publishers.TryReduce") { $0.tryReduce(0) { _, _ in throw TestError() } },
  ].flatMap { $0 }

  private static func reducing<P: Publisher & SendableMetatype>(
    _ publisher: String, _ variant: String,
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> [Reaction] {
    standardReactions(
      of: publisher, variant: variant,
      .ownSubscription.with([
        .valueBeforeSubscription: .isIgnored, .completionBeforeSubscription: .isIgnored,
        .requestBeforeSubscription: .isIgnored, .cancellationBeforeSubscription: .isForgotten(asking: [.unlimited]),
        .valueAfterCompletion: .isIgnored, .completionAfterCompletion: .isIgnored,
        .valueAfterCancellation: .isIgnored, .completionAfterCancellation: .isIgnored,
      ]), make: make)
      + [
        Reaction(publisher, "the subscription" + suffix(variant), ["subscription", "upstream: request unlimited"]) {
          _ = LoggedStream($0, make)
        },
        Reaction(publisher, "a failure without demand" + suffix(variant), ["failure test error"]) { log in
          let stream = LoggedStream(log, make)
          log.clear()
          stream.fail()
        },
      ]
  }

  /// An operator that has a result for any upstream that finishes.
  private static func withResult<P: Publisher & SendableMetatype>(
    _ publisher: String, _ variant: String = "",
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> [Reaction] {
    reducing(publisher, variant, make) + [
      held(publisher, "the result", variant, make) { $0.send(1) }
    ]
  }

  /// An operator that has no result for an upstream that finishes without a value.
  private static func withoutResult<P: Publisher & SendableMetatype>(
    _ publisher: String, _ variant: String = "",
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P
  ) -> [Reaction] {
    reducing(publisher, variant, make) + [
      held(publisher, "the result", variant, make) { $0.send(1) },
      Reaction(publisher, "the end without a result and without demand" + suffix(variant), ["requested", "finished"]) {
        let stream = LoggedStream($0, make)
        $0.clear()
        stream.finish()
        stream.send(1)
        stream.fail()
        $0.add("requested")
        stream.request(.max(1))
      },
      Reaction(publisher, "the end without a result and with demand" + suffix(variant), ["finished"]) {
        let stream = LoggedStream($0, demand: .max(1), make)
        $0.clear()
        stream.finish()
      },
    ]
  }

  /// Nothing is delivered before the first request, and then two things are, or three where values are cancelled early.
  private static func held<P: Publisher & SendableMetatype>(
    _ publisher: String, _ what: String, _ variant: String,
    _ make: @escaping @Sendable (LoggedUpstream<Int, TestError>) -> P,
    _ send: @escaping @Sendable (LoggedStream<P.Output, P.Failure>) -> Void
  ) -> Reaction {
    Reaction(publisher, "\(what) without demand" + suffix(variant), ["0 before the request", "2 with it"]) { log in
      let stream = LoggedStream(log, make)
      send(stream)
      stream.finish()
      let early = log.lines.filter { $0.hasPrefix("value") || $0 == "finished" }
      log.clear()
      stream.request(.max(1))
      let late = log.lines.filter { $0.hasPrefix("value") || $0 == "finished" }
      log.clear()
      log.add("\(early.count) before the request")
      log.add("\(late.count) with it")
    }
  }

  private static func suffix(_ variant: String) -> String { variant.isEmpty ? "" : ", \(variant)" }
}
