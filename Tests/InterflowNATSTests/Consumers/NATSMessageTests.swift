import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowNATS

@Suite struct NATSMessageTests {
  private func messages(
    _ fixture: Fixture, _ settings: NATSConsumerSettings = NATSConsumerSettings()
  ) -> AsyncValues<NATSMessagePublisher<Int>>.Iterator {
    AsyncValues(fixture.stream.messages(durable: "reader", settings: settings)).makeAsyncIterator()
  }

  @Test func saysWhereItComesFrom() async throws {
    let fixture = try await Fixture()
    let before = Date()
    try await fixture.stream.send(7, id: "seven", to: "numbers.odd")
    var iterator = messages(fixture)
    let next2 = try await iterator.next()
    let message = try #require(next2)
    #expect(message.value == 7)
    #expect(message.subject == "numbers.odd")
    #expect(message.sequence == 1)
    #expect(message.deliveryCount == 1)
    #expect(message.id == "seven")
    #expect(abs(message.date.timeIntervalSince(before)) < 3_600)
  }

  @Test func isPendingUntilItIsAcknowledged() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<2)
    var iterator = messages(fixture)
    let next3 = try await iterator.next()
    let first = try #require(next3)
    let next4 = try await iterator.next()
    let second = try #require(next4)
    #expect(try fixture.state(of: "reader").unacknowledged == 2)
    first.ack()
    await until { (try? fixture.state(of: "reader").unacknowledged) == 1 }
    try await second.doubleAck()
    #expect(try fixture.state(of: "reader").unacknowledged == 0)
  }

  @Test func nakDeliversItAgainAndCounts() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<1)
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(1)
    var iterator = messages(fixture, settings)
    for delivery in 1...3 {
      let next5 = try await iterator.next()
      let message = try #require(next5)
      #expect(message.value == 0)
      #expect(message.deliveryCount >= delivery)
      message.nak(after: .milliseconds(1))
    }
  }

  @Test func whatIsNotAcknowledgedComesAgain() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<1)
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .milliseconds(100)
    var iterator = messages(fixture, settings)
    _ = try await iterator.next()
    let next6 = try await iterator.next()
    let again = try #require(next6)
    #expect(again.value == 0)
    #expect(again.deliveryCount == 2)
  }

  @Test func termDoesNotDeliverItAgain() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<2)
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(3_600)
    var iterator = messages(fixture, settings)
    try await iterator.next()?.term()
    let next7 = try await iterator.next()
    let second = try #require(next7)
    #expect(second.value == 1)
    second.ack()
    await until {
      (try? fixture.state(of: "reader")) == ConsumerState(unacknowledged: 0, undelivered: 0, redelivered: 0)
    }
  }

  @Test func isDeliveredNoMoreOftenThanTheLimit() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<1)
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .milliseconds(50)
    settings.maxDeliveries = 2
    var iterator = messages(fixture, settings)
    for delivery in 1...2 {
      let message = try await iterator.next()
      #expect(message?.deliveryCount == delivery)
    }
    try await fixture.send(1..<2)
    let next1 = try await iterator.next()
    #expect(next1?.value == 1)
  }

  @Test func inProgressReachesTheServerAndDoesNotSettle() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<1)
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = .seconds(3_600)
    let settlements = try NATSSubject<Data>(fixture.connection, "$JS.ACK.NUMBERS.reader.>", coding: .data)
    let told = Shared<[String]>([])
    let cancellable = settlements.sink(receiveCompletion: { _ in }) {
      let text = String(decoding: $0, as: UTF8.self)
      told.update { $0.append(text) }
    }
    try await settlements.flush()
    var iterator = messages(fixture, settings)
    let next8 = try await iterator.next()
    let message = try #require(next8)
    message.inProgress()
    message.inProgress()
    await until { told.value.count == 2 }
    #expect(try fixture.state(of: "reader").unacknowledged == 1)
    message.ack()
    await until { told.value.count == 3 }
    #expect(told.value == ["+WPI", "+WPI", "+ACK"])
    cancellable.cancel()
  }

  @Test func canBeAcknowledgedAfterTheSubscriptionWasCancelled() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<1)
    var message: NATSMessage<Int>?
    do {
      var iterator = messages(fixture)
      message = try await iterator.next()
    }
    message?.ack()
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
  }

  @Test func acknowledgingTheWorkOfTasks() async throws {
    let fixture = try await Fixture()
    try await fixture.stream.send(contentsOf: (0..<100).publisher)
    let done = Signal()
    let cancellable = fixture.stream.messages(durable: "reader")
      .task(maxPublishers: .max(4)) { message in
        message.ack()
        done.fire()
      }
      .sink(receiveCompletion: { _ in }, receiveValue: {})
    await done.wait(100)
    await until { (try? fixture.state(of: "reader").unacknowledged) == 0 }
    cancellable.cancel()
  }

  @Test func theServerStopsAtTheLimitOfUnacknowledgedValues() async throws {
    let fixture = try await Fixture()
    try await fixture.send(0..<10)
    var settings = NATSConsumerSettings()
    settings.maxUnacknowledged = 3
    let probe = RecordingSubscriber<NATSMessage<Int>, NATSError>()
    let received = Signal()
    probe.onValue = { _ in received.fire() }
    fixture.stream.messages(durable: "reader", settings: settings).subscribe(probe)
    await received.wait(3)
    #expect(try fixture.state(of: "reader").undelivered == 7)
    for message in probe.values { message.ack() }
    await received.wait(6)
    probe.cancel()
  }
}
