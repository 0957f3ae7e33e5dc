import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Changes of values that several servers hold, of which old ones lose some.
@Suite(.serialized) struct UnsafeUpdatesTests {
  private var replicated: NATSBucketSettings {
    var settings = NATSBucketSettings()
    settings.replicas = 3
    return settings
  }

  private func options(allows: Bool = false) -> NATSOptions {
    var options = NATSOptions.patient
    options.allowsUnsafeUpdates = allows
    return options
  }

  /// Until the servers have found each other.
  private func untilReady<Value>(_ body: () async throws -> Value) async -> Value {
    while true { if let value = try? await body() { return value } }
  }

  @Test func anOldClusterRefusesUpdates() async throws {
    let cluster = try NATSCluster()
    let connection = try await NATSConnection(urls: cluster.urls, options: .patient)
    let settings = replicated
    let value = await untilReady {
      try await NATSValue<Int>(connection, bucket: "state", key: "value", settings: settings)
    }
    let dictionary = try await NATSDictionary<Int>(connection, bucket: "state", settings: nil)
    _ = await untilReady { try await value.send(1) }
    let ran = Shared(false)
    let errors = [
      await natsError { try await value.update(2, from: value.revision) },
      await natsError {
        try await value.update {
          $0 = 2; ran.value = true
        }
      },
      await natsError {
        try await dictionary.update("value") {
          $0 = 2; ran.value = true
        }
      },
    ]
    for error in errors {
      #expect(error?.kind == .unsupported)
      #expect(error?.message.contains("has version 2.9.") == true)
      #expect(error?.message.contains("allowsUnsafeUpdates") == true)
    }
    #expect(!ran.value)
    #expect(try await value.refresh() == 1)
    let allowing = try await NATSConnection(urls: cluster.urls, options: options(allows: true))
    let allowed = try await NATSValue<Int>(allowing, bucket: "state", key: "value", settings: nil)
    #expect(try await allowed.update { $0 = 3 } == 3)
    #expect(try await allowed.update(4, from: allowed.revision) > 0)
    await connection.close()
    await allowing.close()
  }

  @Test func oneReplicaIsSafeOnAnyServer() async throws {
    let server = try NATSServer()
    let connection = try await NATSConnection(urls: [server.url], options: .patient)
    let value = try await NATSValue<Int>(connection, bucket: "state", key: "value")
    #expect(try await value.update { $0 = 2 } == 2)
    await connection.close()
  }

  @Test(.enabled(if: NATSServer.currentProgram != nil))
  func aCurrentClusterLosesNoUpdate() async throws {
    let cluster = try NATSCluster(program: NATSServer.currentProgram)
    let settings = replicated
    let first = try await NATSConnection(urls: cluster.urls, options: .patient)
    _ = await untilReady { try await NATSValue<Int>(first, bucket: "state", key: "value", settings: settings) }
    let count = hasThreadSanitizer ? 20 : 100
    try await withThrowingTaskGroup(of: Void.self) { group in
      for url in cluster.urls {
        group.addTask {
          let connection = try await NATSConnection(urls: [url], options: .patient)
          let value = try await NATSValue<Int>(connection, bucket: "state", key: "value", settings: nil)
          for _ in 0..<count { try await value.update { $0 = ($0 ?? 0) + 1 } }
          await connection.close()
        }
      }
      try await group.waitForAll()
    }
    let value = try await NATSValue<Int>(first, bucket: "state", key: "value", settings: nil)
    #expect(try await value.refresh() == 3 * count)
    await first.close()
  }

  @Test(arguments: [("2.9.25", false), ("2.10.0-RC.1", false), ("2.10.0", true), ("x", false)])
  func theOldestServerDecides(version: String, isSufficient: Bool) async throws {
    func information(_ version: String) -> String {
      FakeServer.information.replacingOccurrences(of: "2.9.10", with: version)
    }
    let (current, other) = (
      try FakeServer(information: information("2.12.1")), try FakeServer(information: information(version))
    )
    defer {
      current.close()
      other.close()
    }
    let connection = try await NATSConnection(urls: [current.url, other.url], options: .patient)
    #expect((try await shortcoming(connection) == nil) == isSufficient)
    // One that has ended has the version that it had.
    current.close()
    other.close()
    while connection.events.interruptions == 0 { await Task.yield() }
    #expect((try await shortcoming(connection) == nil) == isSufficient)
    await connection.close()
  }

  private func shortcoming(_ connection: NATSConnection) async throws -> String? {
    try await connection.versions.shortcoming(
      of: ServerVersion(2, 10, 0), within: .seconds(600), while: "a test")
  }

  private var currentInformation: String {
    FakeServer.information.replacingOccurrences(of: "2.9.10", with: "2.12.1")
  }

  /// The servers that have the values are not those of the connection.
  @Test(arguments: [("hub", nil), (nil, "$JS.hub.API")] as [(String?, String?)])
  func serversOfAnotherDomainCountAsOld(domain: String?, prefix: String?) async throws {
    let server = try FakeServer(information: currentInformation)
    defer { server.close() }
    for allows in [false, true] {
      var options = options(allows: allows)
      options.jetStreamDomain = domain
      options.jetStreamPrefix = prefix
      let connection = try await NATSConnection(urls: [server.url], options: options)
      func error(_ replicas: Int) async -> NATSError? {
        await natsError { try await connection.checkExpectations(replicas: replicas, of: "bucket", while: "a test") }
      }
      #expect(await error(3)?.kind == (allows ? nil : .unsupported))
      #expect(await error(1) == nil)
      await connection.close()
    }
  }

  @Test func callsAtTheSameTimeShareOneReading() async throws {
    let server = try FakeServer(information: currentInformation)
    let proxy = try TCPProxy(to: server.port, delay: 20_000)
    defer {
      proxy.close()
      server.close()
    }
    let connection = try await NATSConnection(urls: [proxy.url], options: .patient)
    let before = proxy.connectionCount
    try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<100 { group.addTask { try await shortcoming(connection) } }
      for try await shortcoming in group { #expect(shortcoming == nil) }
    }
    // What is sufficient holds.
    #expect(try await shortcoming(connection) == nil)
    #expect(proxy.connectionCount == before + 1)
    await connection.close()
  }

  @Test func versionsAreReadAgainAfterAnInterruption() async throws {
    let server = try FakeServer(information: currentInformation)
    let proxy = try TCPProxy(to: server.port)
    defer {
      proxy.close()
      server.close()
    }
    let connection = try await NATSConnection(urls: [proxy.url], options: .reconnecting)
    #expect(try await shortcoming(connection) == nil)
    proxy.cut()
    while !connection.events.isInterrupted { await Task.yield() }
    // What the server has said before is used, and not for longer.
    #expect(try await shortcoming(connection) == nil)
    proxy.restore()
    while connection.events.isInterrupted { await Task.yield() }
    let before = proxy.connectionCount
    #expect(try await shortcoming(connection) == nil)
    #expect(proxy.connectionCount > before)
    await connection.close()
  }

  @Test func aServerThatIsNotReachedCountsAsOld() async throws {
    let current = try FakeServer(information: currentInformation)
    defer { current.close() }
    let missing = try ReservedPort()
    let connection = try await NATSConnection(
      urls: [current.url, "nats://127.0.0.1:\(missing.number)"], options: .patient)
    #expect(
      try await shortcoming(connection)?.contains("127.0.0.1:\(missing.number) has not said its version") == true)
    await connection.close()
  }
}
