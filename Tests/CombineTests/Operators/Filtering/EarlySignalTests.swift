import Combine
import Foundation
import InterflowTestSupport
import Testing

/// The filter family takes a signal before the subscription for a mistake of the program, as Apple's does.
@Suite struct EarlySignalTests {
  private typealias Source = ManualPublisher<Int, TestError>

  fileprivate enum Signal { case value, completion, request, cancellation }

  private static func send<P: Publisher>(_ signal: Signal, before operation: (Source) -> P) {
    let source = Source(subscribes: false)
    let recorder = operation(source).recorded(demand: .none)
    let subscription = source.attached as? any Subscription
    switch signal {
    case .value: source.send(1)
    case .completion: source.send(completion: .finished)
    case .request: subscription?.request(.max(1))
    case .cancellation: subscription?.cancel()
    }
    withExtendedLifetime(recorder) {}
  }

  @Test func aValueTraps() async {
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.filter { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.tryFilter { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.compactMap { $0 } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.tryCompactMap { $0 } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.removeDuplicates() } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.tryRemoveDuplicates { $0 == $1 } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.prefix { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.tryPrefix { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.drop { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.value) { $0.tryDrop { _ in true } } }
  }

  @Test func aCompletionTraps() async {
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.completion) { $0.filter { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.completion) { $0.tryFilter { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.completion) { $0.compactMap { $0 } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.completion) { $0.tryCompactMap { $0 } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.completion) { $0.removeDuplicates() } }
    await #expect(processExitsWith: .failure) {
      EarlySignalTests.send(.completion) { $0.tryRemoveDuplicates { $0 == $1 } }
    }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.completion) { $0.prefix { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.completion) { $0.tryPrefix { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.completion) { $0.drop { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.completion) { $0.tryDrop { _ in true } } }
  }

  @Test func aRequestTraps() async {
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.request) { $0.filter { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.request) { $0.tryFilter { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.request) { $0.compactMap { $0 } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.request) { $0.tryCompactMap { $0 } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.request) { $0.removeDuplicates() } }
    await #expect(processExitsWith: .failure) {
      EarlySignalTests.send(.request) { $0.tryRemoveDuplicates { $0 == $1 } }
    }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.request) { $0.prefix { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.request) { $0.tryPrefix { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.request) { $0.drop { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.request) { $0.tryDrop { _ in true } } }
  }

  @Test func aCancellationTraps() async {
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.cancellation) { $0.filter { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.cancellation) { $0.tryFilter { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.cancellation) { $0.compactMap { $0 } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.cancellation) { $0.tryCompactMap { $0 } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.cancellation) { $0.removeDuplicates() } }
    await #expect(processExitsWith: .failure) {
      EarlySignalTests.send(.cancellation) { $0.tryRemoveDuplicates { $0 == $1 } }
    }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.cancellation) { $0.prefix { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.cancellation) { $0.tryPrefix { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.cancellation) { $0.drop { _ in true } } }
    await #expect(processExitsWith: .failure) { EarlySignalTests.send(.cancellation) { $0.tryDrop { _ in true } } }
  }

  @Test func messageSaysWhatCameToWhom() async throws {
    let value = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      EarlySignalTests.send(.value) { $0.filter { _ in true } }
    }
    let text = String(decoding: value.standardErrorContent, as: UTF8.self)
    #expect(text.contains("Filter received a value before it received a subscription"))
    let cancellation = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      EarlySignalTests.send(.cancellation) { $0.tryDrop { _ in true } }
    }
    let other = String(decoding: cancellation.standardErrorContent, as: UTF8.self)
    #expect(other.contains("TryDropWhile received a cancellation before it received a subscription"))
  }

  @Test func signalsAfterTheEndAreIgnored() throws {
    for ends in [true, false] {
      let source = Source()
      let recorder = source.tryFilter { _ in true }.recorded()
      let subscription = try #require(source.attached as? any Subscription)
      if ends { source.send(completion: .finished) } else { recorder.cancel() }
      let log = recorder.log
      #expect(source.send(1) == .none)
      source.send(completion: .finished)
      subscription.request(.max(1))
      subscription.cancel()
      #expect(recorder.log == log)
    }
  }
}
