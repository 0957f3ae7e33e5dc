import Combine
import Dispatch
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// A server that has stopped, with much on the way to it.
@Suite(.serialized) struct NATSTimeLimitStressTests {
  /// A thousand with the counts of `make long`.
  private static let callers = (environmentNumber("INTERFLOW_STRESS_RUNS") ?? 0) >= 10_000 ? 1_000 : 200

  /// Less than the callers would take one after the other on a few threads, and far more than a busy machine needs for a call
  /// whose limit is a second.
  private static let limit = Duration.seconds(callers == 1_000 ? 30 : 10)

  /// A connection with a time limit, to the server of a fixture, which was set up within the usual one.
  private func connect(_ fixture: Fixture, _ timeout: Duration) async throws -> NATSConnection {
    var options = NATSOptions.patient
    options.requestTimeout = timeout
    options.reconnection = .always(pause: .milliseconds(10))
    return try await NATSConnection(urls: [fixture.server.url], options: options)
  }

  private func numbers(on connection: NATSConnection) async throws -> NATSStream<Int> {
    try await setUp { try await NATSStream<Int>(connection, existing: "NUMBERS") }
  }

  private func value(on connection: NATSConnection) async throws -> NATSValue<Int> {
    try await setUp { try await NATSValue<Int>(connection, bucket: "bucket", key: "key") }
  }

  /// Stops the server, and sends more than fits into the sockets.
  private func stop(_ fixture: Fixture, _ connection: NATSConnection) throws {
    fixture.server.pause(true)
    let bytes = try NATSSubject<Data>(connection, "bytes", coding: .data)
    let block = Data(count: 900_000)
    for _ in 0..<40 { try bytes.send(block) }
  }

  /// The kinds of errors of many calls at once.
  private func kinds(_ body: @escaping @Sendable (Int) async throws -> Void) async -> [NATSError.Kind?] {
    await withTaskGroup(of: NATSError.Kind?.self) { group in
      for number in 0..<Self.callers {
        group.addTask { await natsError { try await body(number) }?.kind }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func allCallsEndWhenTheirTimeIsOver() async throws {
    let fixture = try await Fixture()
    defer { fixture.server.pause(false) }
    let connection = try await connect(fixture, .seconds(1))
    let (stream, value) = (try await numbers(on: connection), try await value(on: connection))
    try stop(fixture, connection)
    let begin = ContinuousClock.now
    let kinds = await kinds { number in
      switch number % 5 {
      case 0: try await stream.send(number)
      case 1: try await connection.flush()
      case 2: _ = try await stream.state()
      case 3: _ = try await value.update(number, from: 0)
      default: _ = try await value.refresh()
      }
    }
    #expect(begin.duration(to: .now) < Self.limit)
    #expect(kinds.count == Self.callers)
    #expect(kinds.allSatisfy { [.timeout, .interrupted, .disconnected].contains($0) }, "\(Set(kinds))")
    // And one for what is sent without waiting.
    let queues = [
      connection.queue, connection.background, connection.flushes, connection.closing, connection.versions.queue,
    ]
    #expect(queues.reduce(1) { $0 + $1.maxThreadCount } == 8)
  }

  @Test func closingEndsWhenItsTimeIsOver() async throws {
    let fixture = try await Fixture()
    defer { fixture.server.pause(false) }
    let connection = try await connect(fixture, .seconds(1))
    let stream = try await numbers(on: connection)
    let statuses = connection.statuses
    try stop(fixture, connection)
    let sending = Task { await natsError { try await stream.send(1) } }
    let begin = ContinuousClock.now
    await connection.close()
    #expect(begin.duration(to: .now) < Self.limit)
    var last: NATSConnection.Status?
    for await status in statuses { last = status }
    guard case .closed(nil)? = last else {
      Issue.record("\(String(describing: last))")
      return
    }
    #expect(await sending.value != nil)
    #expect(await natsError { try await stream.send(2) } != nil)
    await connection.close()
  }

  /// Their time would be an hour.
  @Test func cancellingEndsTheWaitAtOnce() async throws {
    let fixture = try await Fixture()
    defer { fixture.server.pause(false) }
    let connection = try await connect(fixture, .seconds(3_600))
    let (stream, value) = (try await numbers(on: connection), try await value(on: connection))
    try stop(fixture, connection)
    let calls: [@Sendable () async throws -> Void] = [
      { try await connection.flush() }, { _ = try await stream.state() }, { try await stream.removeAll() },
      { _ = try await value.refresh() }, { try await value.delete() },
      { _ = try await value.update(1, from: 0) },
    ]
    for call in calls {
      let task = Task { await natsError(call)?.kind }
      task.cancel()
      #expect(await task.value == .cancelled)
    }
    let others: [@Sendable () async throws -> Void] = [
      { try await stream.send(1) }, { _ = try await value.update { $0 = 1 } },
    ]
    for call in others {
      let task = Task { try await call() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func aValueWhoseTimeWasOverIsStoredOnceWhenItIsSentAgain() async throws {
    let fixture = try await Fixture()
    let stream = try await numbers(on: connect(fixture, .milliseconds(200)))
    fixture.server.pause(true)
    // Its last threads may stop a moment later.
    var (number, error) = (0, NATSError?.none)
    while error == nil {
      number += 1
      error = await natsError { try await stream.send(number, id: "\(number)") }
    }
    #expect(error?.kind == .timeout)
    fixture.server.pause(false)
    while await natsError({ try await stream.send(number, id: "\(number)") }) != nil {}
    var count: Int?
    while count == nil { count = try? await fixture.stream.state().messageCount }
    #expect(count == number)
  }

  @Test func anotherConnectionGoesOnMeanwhile() async throws {
    let stopped = try await Fixture()
    defer { stopped.server.pause(false) }
    let connection = try await connect(stopped, .seconds(2))
    let stream = try await numbers(on: connection)
    let other = try await Fixture()
    try stop(stopped, connection)
    let waiting = Task { await kinds { _ in _ = try await stream.state() } }
    #expect(try await other.stream.send(1).sequence == 1)
    #expect(try await other.stream.state().messageCount == 1)
    #expect(await waiting.value.allSatisfy { $0 != nil })
  }
}
