import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

@Suite struct NATSStreamManagementTests {
  @Test func saysWhatTheStreamHolds() async throws {
    let fixture = try await Fixture()
    let empty = try await fixture.stream.state()
    #expect((empty.messageCount, empty.lastSequence, empty.consumerCount) == (0, 0, 0))
    try await fixture.send(0..<3)
    _ = try await fixture.first(1)
    let state = try await fixture.stream.state()
    #expect((state.messageCount, state.firstSequence, state.lastSequence, state.consumerCount) == (3, 1, 3, 1))
    #expect(state.byteCount > 0)
  }

  @Test func saysHowFarAConsumerIs() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<3)
    var iterator = fixture.stream.values(durable: "reader").makeAsyncIterator()
    _ = try await iterator.next()
    let state = try await fixture.stream.state(ofConsumer: "reader")
    #expect(state == NATSConsumerState(unacknowledgedCount: 1, undeliveredCount: 2, redeliveredCount: 0))
    let error = await natsError { _ = try await fixture.stream.state(ofConsumer: "nobody") }
    #expect(error?.kind == .notFound)
  }

  @Test func removingAllKeepsTheConsumers() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<3)
    _ = try await fixture.first(1)
    try await fixture.stream.removeAll()
    #expect(try await fixture.stream.state().messageCount == 0)
    try await fixture.send(3..<4)
    #expect(try await fixture.first(1) == [3])
  }

  @Test func deletingTheStreamEndsItsConsumers() async throws {
    let fixture = try await Fixture()
    let (probe, completed) = (RecordingSubscriber<Int, NATSError>(), Signal())
    probe.onCompletion = { _ in completed.fire() }
    fixture.stream.publisher(durable: "reader").subscribe(probe)
    await until { (try? fixture.state(of: "reader")) != nil }
    try await fixture.stream.delete()
    await completed.wait()
    #expect(probe.error?.kind == .notFound)
    let again = await natsError { try await fixture.stream.delete() }
    #expect(again?.kind == .notFound)
    let sent = await natsError { try await fixture.stream.send(1) }
    #expect(sent != nil)
  }

  @Test func deletingAConsumer() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<2)
    _ = try await fixture.first(1)
    try await fixture.stream.deleteConsumer("reader")
    #expect(try await fixture.first(2) == [0, 1])
    let error = await natsError { try await fixture.stream.deleteConsumer("nobody") }
    #expect(error?.kind == .notFound)
  }

  @Test func aDurableThatIsNotUsedIsDeleted() async throws {
    let fixture = try await Fixture()
    var settings = NATSConsumerSettings()
    settings.inactiveThreshold = .milliseconds(200)
    let consumer = try PullConsumer(fixture.connection, stream: "NUMBERS", durable: "reader", settings: settings)
    #expect(try await fixture.connection.queue.run { .success(consumer.create()) } == nil)
    while try await fixture.stream.state().consumerCount > 0 { await Task.yield() }
    let error = await natsError { _ = try await fixture.stream.state(ofConsumer: "reader") }
    #expect(error?.kind == .notFound)
  }
}
