import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

/// An operator's subscriber is its subscription as well, where Apple's has one object for both.
@Suite struct SubscriberAsSubscriptionTests {
  private typealias Source = TestPublisher<Int, TestError>

  /// - Parameters:
  ///   - trapsEarly: Whether a request or a cancellation before the subscription must not be tried.
  ///   - cancelsEarly: Whether a cancellation before the subscription counts.
  private func expectOneForBoth<P: Publisher>(
    _ operation: String, trapsEarly: Bool = false, cancelsEarly: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (Source) -> P
  ) throws {
    let source = Source(keepsSubscribers: true, sendsSubscriptions: false)
    let recorder = make(source).recorded(demand: .none)
    let name: Comment = "\(operation)"
    let subscriber = try #require(source.subscription?.subscriber, name, sourceLocation: sourceLocation)
    let subscription = try #require(subscriber as? any Subscription, name, sourceLocation: sourceLocation)
    if !trapsEarly {
      subscription.request(.max(1))
      if !cancelsEarly { subscription.cancel() }
    }
    source.subscription?.sendSubscription()
    #expect(source.cancellations.isEmpty, name, sourceLocation: sourceLocation)
    let handedOut = try #require(recorder.subscription, name, sourceLocation: sourceLocation)
    #expect(handedOut.combineIdentifier == subscriber.combineIdentifier, name, sourceLocation: sourceLocation)
    #expect(handedOut.combineIdentifier == subscription.combineIdentifier, name, sourceLocation: sourceLocation)

    subscription.request(.max(1))
    #expect(source.requested != .none, name, sourceLocation: sourceLocation)
    subscription.cancel()
    subscription.cancel()
    #expect(source.cancellations.count == 1, name, sourceLocation: sourceLocation)
    let requests = source.requests.count
    handedOut.request(.max(1))
    #expect(source.requests.count == requests, name, sourceLocation: sourceLocation)
  }

  @Test func whereValuesPass() throws {
    try expectOneForBoth("tryMap") { $0.tryMap { $0 } }
    try expectOneForBoth("tryScan") { $0.tryScan(0) { $0 + $1 } }
    try expectOneForBoth("replaceEmpty") { $0.replaceEmpty(with: 0) }
    try expectOneForBoth("replaceError") { $0.replaceError(with: 0) }
    try expectOneForBoth("append") { $0.append(1) }
    try expectOneForBoth("retry", cancelsEarly: true) { $0.retry(1) }
    try expectOneForBoth("output") { $0.output(in: 1...3) }
    try expectOneForBoth("drop(untilOutputFrom:)", cancelsEarly: true) {
      $0.drop(untilOutputFrom: Source(keepsSubscribers: true))
    }
    try expectOneForBoth("prefix(untilOutputFrom:)", cancelsEarly: true) {
      $0.prefix(untilOutputFrom: Source(keepsSubscribers: true))
    }
    try expectOneForBoth("handleEvents") { $0.handleEvents() }
    try expectOneForBoth("print") { $0.print("", to: Lines()) }
    try expectOneForBoth("collect(2)") { $0.collect(2) }
    #if INTERFLOW_FOUNDATION
      try expectOneForBoth("encode") { $0.encode(encoder: JSONEncoder()) }
    #endif
    try expectOneForBoth("measureInterval") { $0.measureInterval(using: ImmediateScheduler.shared) }
  }

  @Test func whereValuesAreLeftOut() throws {
    try expectOneForBoth("tryFilter", trapsEarly: true) { $0.tryFilter { _ in true } }
    try expectOneForBoth("tryCompactMap", trapsEarly: true) { $0.tryCompactMap { $0 } }
    try expectOneForBoth("removeDuplicates", trapsEarly: true) { $0.removeDuplicates() }
    try expectOneForBoth("prefix(while:)", trapsEarly: true) { $0.prefix { _ in true } }
    try expectOneForBoth("drop(while:)") { $0.drop { _ in true } }
  }

  @Test func whereThereIsOneResult() throws {
    try expectOneForBoth("collect") { $0.collect() }
    try expectOneForBoth("count") { $0.count() }
    try expectOneForBoth("max") { $0.max() }
    try expectOneForBoth("tryReduce") { $0.tryReduce(0) { $0 + $1 } }
    try expectOneForBoth("contains") { $0.contains(1) }
    try expectOneForBoth("allSatisfy") { $0.allSatisfy { _ in true } }
    try expectOneForBoth("first") { $0.first() }
    try expectOneForBoth("last(where:)") { $0.last { _ in true } }
  }

  @Test func notWhereAppleHasTwo() throws {
    func attached<P: Publisher>(_ make: (Source) -> P) throws -> any Subscriber {
      let source = Source(keepsSubscribers: true)
      let recorder = make(source).recorded()
      return try withExtendedLifetime(recorder) { try #require(source.subscription?.subscriber) }
    }
    for subscriber in [
      try attached { $0.map { $0 } }, try attached { $0.map(\.magnitude) }, try attached { $0.mapError { $0 } },
      try attached { $0.scan(0, +) }, try attached { $0.filter { _ in true } },
      try attached { $0.compactMap { $0 } }, try attached { $0.ignoreOutput() },
      try attached { $0.assertNoFailure() }, try attached { $0.breakpoint() },
    ] {
      #expect(!(subscriber is any Subscription), "\(subscriber)")
    }
  }
}
