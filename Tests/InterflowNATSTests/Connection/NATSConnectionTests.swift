import CNATS
import Dispatch
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct NATSConnectionTests {
  @Test func connectsAndCloses() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let statuses = connection.statuses
    await connection.close()
    var seen: [String] = []
    for await status in statuses { seen.append("\(status)") }
    #expect(seen == ["connected", "closed(nil)"])
  }

  @Test func closingAgainDoesNothing() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    await connection.close()
    await connection.close()
  }

  @Test func noServer() async {
    let error = await natsError { _ = try await NATSConnection(urls: ["nats://127.0.0.1:1"]) }
    #expect(error?.kind == .noServer)
    #expect(error?.operation == "connecting to a server")
  }

  @Test func wrongPasswordIsRefusedAndNotRepeated() async throws {
    let server = try NATSServer(configuration: "authorization { user: anna, password: right }")
    var options = NATSOptions.patient
    options.credentials = .user("anna", password: "wrong-secret")
    let error = await natsError { _ = try await NATSConnection(urls: [server.url], options: options) }
    #expect(error?.kind == .notAuthorized)
    #expect(error.map { "\($0)" }?.contains("wrong-secret") == false)
    options.credentials = .user("anna", password: "right")
    await (try NATSConnection(urls: [server.url], options: options)).close()
  }

  @Test(arguments: [
    "http://localhost", "", "nats://", "nats://user:wrong-secret@a b",
    "nats://user:wrong-secret", "user:wrong-secret@host:port", "nats://host:70000", "host,other",
  ])
  func anAddressThatIsNoneIsRefusedWithoutItsPassword(address: String) async {
    let error = await natsError { _ = try await NATSConnection(urls: [address]) }
    #expect(error?.kind == .misuse)
    #expect(error.map { "\($0)" }?.contains("wrong-secret") == false)
  }

  @Test func noAddresses() async {
    #expect(await natsError { _ = try await NATSConnection(urls: []) }?.kind == .misuse)
  }

  @Test func anInterruptionIsReportedAndEndsTheConnectionWhereItIsNotRestored() async throws {
    let server = try NATSServer()
    var options = NATSOptions.patient
    options.reconnection = .attempts(1, pause: .milliseconds(1))
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let statuses = connection.statuses
    server.kill()
    var seen: [String] = []
    for await status in statuses { seen.append("\(status)".split(separator: "(").first.map(String.init) ?? "") }
    #expect(seen == ["connected", "reconnecting", "closed"])
    await connection.close()
  }

  @Test func releasingTheConnectionClosesIt() async throws {
    let server = try NATSServer()
    var connection: NATSConnection? = try await NATSConnection(urls: [server.url], options: .patient)
    let statuses = try #require(connection?.statuses)
    connection = nil
    var last: NATSConnection.Status?
    for await status in statuses { last = status }
    guard case .closed(nil)? = last else {
      Issue.record("\(String(describing: last))")
      return
    }
  }

  @Test(arguments: ["localhost", "tls://host", "nats://[::1]", "nats://user:p@ss/word@[::1]:4222"])
  func anAddressThatIsOne(address: String) async {
    #expect(NATSOptions.isAddress(address))
  }

  @Test func anotherServerAnswersWhereTheFirstIsDown() async throws {
    let server = try NATSServer()
    await (try NATSConnection(urls: ["nats://127.0.0.1:1", server.url], options: .patient)).close()
  }

  @Test func aConnectionThatIsNotRestoredReportsItsEndAlone() async throws {
    let server = try NATSServer()
    var options = NATSOptions.patient
    options.reconnection = .never
    let connection = try await NATSConnection(urls: [server.url], options: options)
    let statuses = connection.statuses
    server.kill()
    var seen: [NATSConnection.Status] = []
    for await status in statuses { seen.append(status) }
    guard case .connected? = seen.first, case .closed(let reason)? = seen.last else {
      Issue.record("\(seen)")
      return
    }
    #expect(seen.count == 2)
    #expect(reason != nil)
  }

  @Test func closingWhileInterruptedHasNoReason() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let statuses = connection.statuses
    server.kill()
    var last: NATSConnection.Status?
    for await status in statuses {
      if case .reconnecting = status { Task { await connection.close() } }
      last = status
    }
    guard case .closed(nil)? = last else {
      Issue.record("\(String(describing: last))")
      return
    }
  }

  @Test func theServerSaysHowLargeAMessageMayBe() async throws {
    let server = try NATSServer(configuration: "max_payload: 5000")
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    #expect(connection.maxPayload == 5_000)
    await connection.close()
  }

  @Test func flushingWaitsForTheServer() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    try await connection.flush()
    await connection.close()
    #expect(await natsError { try await connection.flush() }?.kind == .closed)
  }

  @Test func flushingFailsWhereTheLibraryTakesLongToClose() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    // As by `close()`, when its time is over.
    connection.events.isClosed(reason: nil)
    #expect(await natsError { try await connection.flush() }?.kind == .closed)
    await connection.close()
  }

  @Test func closingReturnsWhenTheEndHasBeenDelivered() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let (isBlocked, release) = (Signal(), DispatchSemaphore(value: 0))
    let errors = connection.errors.sink { _ in
      isBlocked.fire()
      release.wait()
    }
    connection.events.report(NATSError(kind: .other, operation: "a test", message: ""))
    await isBlocked.wait()
    let closing = Task { await connection.close() }
    await until { connection.events.endError(while: "a test") != nil }
    #expect(connection.events.statusForProgram.value.isConnected)
    release.signal()
    await closing.value
    #expect(!connection.events.statusForProgram.value.isConnected)
    errors.cancel()
    withExtendedLifetime(server) {}
  }

  @Test func manyFlushesAtATimeSucceed() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    // Half of them end before the answer, as those of the outbox may. Several at a time, one takes the answer of another, which
    // waits until its time-out then: in one of ten runs.
    let (statuses, ended) = (Shared<[natsStatus]>([]), Signal())
    for number in 0..<16 {
      Thread.detachNewThread { [handle = connection.handle] in
        let isShort = number.isMultiple(of: 2)
        for _ in 0..<(hasThreadSanitizer ? 100 : 500) {
          let status = handle.flush(isShort ? .milliseconds(1) : .seconds(30)) { true }
          if !isShort { statuses.update { $0.append(status) } }
        }
        ended.fire()
      }
    }
    await ended.wait(16)
    #expect(statuses.value.filter { $0 != NATS_OK } == [])
    await connection.close()
  }

  @Test func flushingFailsWhereTheConnectionIsInterruptedMeanwhile() async throws {
    // The first ping is part of connecting.
    let server = try FakeServer(pingCount: 1)
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: .reconnecting)
    let error = await natsError { try await connection.flush() }
    #expect([.interrupted, .disconnected, .timeout].contains(error?.kind))
    await connection.close()
  }

  @Test func flushingFailsWhereTheConnectionIsInterruptedBeforeItsTurn() async throws {
    let server = try NATSServer()
    let proxy = try TCPProxy(to: server.port)
    defer { proxy.close() }
    var options = NATSOptions.patient
    options.requestTimeout = .seconds(3_600)
    options.reconnection = .always(pause: .milliseconds(10))
    let connection = try await NATSConnection(urls: [proxy.url], options: options)
    let (begun, connected, latch) = (Signal(), Signal(), DispatchSemaphore(value: 0))
    defer { latch.signal() }
    let cancellable = connection.status.sink { if case .connected = $0 { connected.fire() } }
    // In the place of another flush.
    connection.flushes.start {
      begun.fire()
      latch.wait()
    }
    await begun.wait()
    let flushing = Task { await natsError { try await connection.flush() } }
    await until { connection.flushes.waitingCount == 1 }
    proxy.cut()
    proxy.restore()
    await connected.wait(2)
    latch.signal()
    #expect(await flushing.value?.kind == .interrupted)
    try await connection.flush()
    await connection.close()
    cancellable.cancel()
  }

  @Test func cancellingEndsTheWaitForAServer() async throws {
    let server = try NATSServer()
    server.pause(true)
    defer { server.pause(false) }
    var options = NATSOptions.patient
    options.connectTimeout = .seconds(3_600)
    let patient = options
    let url = server.url
    let task = Task { await natsError { _ = try await NATSConnection(urls: [url], options: patient) } }
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
  }

  @Test func subscribersOfManySubjectsShareThreads() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let numbers = try NATSSubject<Int>(connection, "numbers")
    let (begun, done, latch) = (Signal(), Signal(), DispatchSemaphore(value: 0))
    let subscribers = 200
    var isOpen = false
    func open() {
      if !isOpen { for _ in 0..<subscribers { latch.signal() } }
      isOpen = true
    }
    // Those that wait would keep the threads of other tests.
    defer { open() }
    let cancellables = (0..<subscribers).map { _ in
      numbers.sink(receiveCompletion: { _ in }) { _ in
        begun.fire()
        latch.wait()
        done.fire()
      }
    }
    try numbers.send(1)
    await begun.wait(ThreadPool.deliveries.maxThreadCount / 2)
    // Those that could be called would be by then.
    try await connection.flush()
    #expect(begun.count <= ThreadPool.deliveries.maxThreadCount)
    open()
    await done.wait(subscribers)
    for cancellable in cancellables { cancellable.cancel() }
    await connection.close()
  }

  @Test func aSubscriberOfTheStatusThatBlocksKeepsNobodyElseWaiting() async throws {
    let server = try NATSServer()
    let proxy = try TCPProxy(to: server.port)
    defer { proxy.close() }
    let connection = try await NATSConnection(urls: [proxy.url], options: .reconnecting)
    let other = try await NATSConnection(urls: [proxy.url], options: .reconnecting)
    let (isBlocked, release, restored) = (Signal(), DispatchSemaphore(value: 0), Signal())
    let blocking = connection.status.dropFirst().sink { _ in
      isBlocked.fire()
      release.wait()
    }
    let cancellable = other.status.dropFirst().sink { if case .connected = $0 { restored.fire() } }
    proxy.cut()
    await isBlocked.wait()
    proxy.restore()
    await restored.wait()
    await until { connection.events.restorations > 0 && !connection.events.isInterrupted }
    try await connection.flush()
    await connection.close()
    await other.close()
    cancellable.cancel()
    blocking.cancel()
    release.signal()
  }

  @Test func aServerThatHasGoneSilentIsNoticed() async throws {
    let server = try NATSServer()
    let proxy = try TCPProxy(to: server.port)
    defer { proxy.close() }
    var options = NATSOptions.patient
    options.pingInterval = .milliseconds(50)
    options.reconnection = .always(pause: .milliseconds(10))
    let connection = try await NATSConnection(urls: [proxy.url], options: options)
    let (interrupted, connected) = (Signal(), Signal())
    let cancellable = connection.status.sink {
      switch $0 {
      case .connected: connected.fire()
      case .reconnecting: interrupted.fire()
      case .closed: break
      }
    }
    await connected.wait()
    proxy.silence()
    await interrupted.wait()
    await connected.wait(2)
    // A busy machine may be taken for a silent one again.
    while await natsError({ try await connection.flush() }) != nil {}
    await connection.close()
    cancellable.cancel()
  }
}
