import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSStreamSubscribingTests {
  private struct Broken: Error {}

  private func stored(_ fixture: Fixture, _ count: Int) async throws -> [Int] {
    if count == 0 { return [] }
    var values: [Int] = []
    for try await value in fixture.stream.publisher(durable: "reader").prefix(count).values { values.append(value) }
    return values
  }

  @Test(arguments: [1, 2, 256]) func storesAllInThePublishersOrder(inFlight: Int) async throws {
    let fixture = try await Fixture()
    try await fixture.stream.send(contentsOf: (0..<1_000).publisher, inFlight: inFlight)
    #expect(try await stored(fixture, 1_000) == Array(0..<1_000))
  }

  @Test func requestsNoMoreThanAreInFlight() async throws {
    let fixture = try await Fixture()
    let demands = Demands()
    let (isCompleted, hasFailed) = (Signal(), Signal())
    let values = (0..<100).publisher.handleEvents(
      receiveOutput: { _ in demands.delivered() }, receiveRequest: { demands.requested($0.max ?? .max) })
    let cancellable = values.subscribe(fixture.stream, inFlight: 3) {
      if case .failure = $0 { hasFailed.fire() }
      isCompleted.fire()
    }
    await isCompleted.wait()
    #expect(hasFailed.count == 0)
    #expect(demands.first == 3)
    #expect(demands.most == 3)
    cancellable.cancel()
    #expect(try await stored(fixture, 100) == Array(0..<100))
  }

  @Test func aSubjectWithWildcardsIsRefused() async throws {
    let fixture = try await Fixture()
    let stream = try await NATSStream<Int>(fixture.connection, "OTHER", subjects: ["other.>"])
    let error = await natsError { try await stream.send(contentsOf: (0..<3).publisher) }
    #expect(error?.kind == .misuse)
    #expect(try await stream.state().messageCount == 0)
  }

  @Test func aFailureComesWhenTheValuesBeforeItAreStored() async throws {
    let fixture = try await Fixture()
    let values = (0..<50).publisher.setFailureType(to: Broken.self).append(Fail(error: Broken()))
    await #expect(throws: Broken.self) { try await fixture.stream.send(contentsOf: values) }
    #expect(try await stored(fixture, 50) == Array(0..<50))
  }

  @Test func aValueThatIsNotStoredCancelsThePublisher() async throws {
    var settings = NATSStreamSettings()
    settings.maxMessages = 5
    settings.discard = .new
    let fixture = try await Fixture(settings)
    let isCancelled = Signal()
    let endless = (0...).publisher.handleEvents(receiveCancel: { isCancelled.fire() })
    let error = await natsError { try await fixture.stream.send(contentsOf: endless, inFlight: 2) }
    #expect(error?.kind == .full)
    await isCancelled.wait()
    #expect(try await stored(fixture, 5) == Array(0..<5))
  }

  @Test func aValueThatCannotBeEncodedCancelsThePublisher() async throws {
    let fixture = try await Fixture()
    let stream = try await NATSStream<Double>(fixture.connection, existing: "NUMBERS")
    let error = await natsError { try await stream.send(contentsOf: [1, .infinity, 2].publisher, inFlight: 1) }
    #expect(error?.kind == .notEncodable)
    #expect(try await stored(fixture, 1) == [1])
  }

  @Test func cancellingTheTaskCancelsThePublisher() async throws {
    let fixture = try await Fixture()
    let isCancelled = Signal()
    let isRequested = Signal()
    let subject = PassthroughSubject<Int, Never>()
    let values = subject.handleEvents(
      receiveCancel: { isCancelled.fire() }, receiveRequest: { _ in isRequested.fire() })
    // Safe to transfer: nothing else uses the publisher.
    nonisolated(unsafe) let transferred = values
    let task = Task { try await fixture.stream.send(contentsOf: transferred) }
    await isRequested.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await isCancelled.wait()
  }

  @Test func identifiersKeepValuesFromBeingStoredTwice() async throws {
    let fixture = try await Fixture()
    for _ in 0..<2 { try await fixture.stream.send(contentsOf: (0..<100).publisher, id: { "\($0)" }) }
    #expect(try await fixture.stream.send(100).sequence == 101)
  }

  @Test func releasesThePublisherAfterCancellation() async throws {
    let fixture = try await Fixture()
    let subject = PassthroughSubject<Int, Never>()
    weak var weakObject: AnyObject?
    do {
      let object = NSObject()
      weakObject = object
      let cancellable = subject.map { [object] in $0 + (object.isEqual(nil) ? 1 : 0) }
        .subscribe(fixture.stream) { _ in Issue.record("it has completed") }
      subject.send(1)
      cancellable.cancel()
    }
    #expect(weakObject == nil)
  }
}

/// What has been requested and delivered.
private final class Demands: @unchecked Sendable {
  // Guards the variables.
  private let lock = NSLock()
  private var open = 0
  private(set) var first: Int?
  private(set) var most = 0

  func requested(_ count: Int) {
    lock.withLock {
      first = first ?? count
      open += count
      most = max(most, open)
    }
  }

  func delivered() { lock.withLock { open -= 1 } }
}
