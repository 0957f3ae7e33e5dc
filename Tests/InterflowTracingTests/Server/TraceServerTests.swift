#if !os(Windows) && !os(WASI)
  import Foundation
  import InterflowTestSupport
  import Synchronization
  import Testing

  @testable import InterflowTracing

  @Suite struct TraceServerTests {
    private let recorder = TraceRecorder()
    private let server: TraceServer

    init() throws {
      recorder.start()
      server = try TraceServer(recorder: recorder, title: "Live")
    }

    private var url: URL { URL(string: server.address)! }
    private var authority: String { "127.0.0.1:\(url.port!)" }

    private func status(_ request: String) throws -> String {
      let client = try Client(port: UInt16(url.port!))
      client.send(request)
      return String(client.readToEnd().prefix { $0 != "\r\n" }.dropFirst("HTTP/1.1 ".count).prefix(3))
    }

    private func get(_ path: String, host: String? = nil) -> String {
      "GET \(path) HTTP/1.1\r\nHost: \(host ?? authority)\r\n\r\n"
    }

    @Test func thePageIsAtTheAddress() throws {
      _ = Just(7).traced("numbers", recorder: recorder).sink { _ in }
      let client = try Client(port: UInt16(url.port!))
      client.send(get(url.path + "/"))
      let answer = client.readToEnd()
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.contains("Content-Type: text/html; charset=utf-8\r\n"))
      #expect(answer.contains("data-live=\"events\""))
      #expect(answer.contains("\"numbers\""))
      #expect(answer.hasSuffix("</html>\n"))
      #expect(try status(get(url.path + "/", host: "localhost:\(url.port!)")) == "200")
    }

    @Test func withoutTheTokenThereIsNothing() throws {
      for path in ["/", "//", "/events", "/0123456789abcdef0123456789abcdef/", url.path, url.path + "/../", "x"] {
        #expect(try status(get(path)) == "404", "\(path)")
      }
      #expect(try status(get(url.path + "/other")) == "404")
    }

    @Test func anotherNameOfTheMachineIsRefused() throws {
      // A page of the web can let a name of its own lead to this machine, and then knows what it has read.
      for host in ["example.com", "example.com:\(url.port!)", "127.0.0.1", "localhost", "127.0.0.1:1", ""] {
        #expect(try status(get(url.path + "/", host: host)) == "403", "\(host)")
      }
      #expect(try status("GET \(url.path)/ HTTP/1.1\r\n\r\n") == "403")
    }

    @Test func aBrowserLeavesThePortOfHTTPOut() {
      #expect(TraceServer.hosts(port: 80) == ["127.0.0.1", "127.0.0.1:80", "localhost", "localhost:80"])
      #expect(TraceServer.hosts(port: 8_080) == ["127.0.0.1:8080", "localhost:8080"])
    }

    @Test func nothingButGetIsAnswered() throws {
      #expect(try status("POST \(url.path)/ HTTP/1.1\r\nHost: \(authority)\r\n\r\n") == "405")
    }

    @Test func whatIsNoRequestEndsTheConnection() throws {
      let client = try Client(port: UInt16(url.port!))
      client.send("hello\r\n\r\n")
      #expect(client.readToEnd() == "")
    }

    @Test func updatesFollowEachOther() throws {
      let client = try Client(port: UInt16(url.port!))
      client.send(get(url.path + "/events"))
      #expect(client.read(until: "\r\n\r\n").contains("Content-Type: text/event-stream\r\n"))
      #expect(client.read(until: "\n\n").contains("data: {\"title\":\"Live\""))
      _ = Just("news").traced("late", recorder: recorder).sink { _ in }
      while !client.read(until: "\n\n").contains("\"news\"") {}
    }

    @Test func aStreamThatGoesOnIsNoFinding() throws {
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.traced("numbers", recorder: recorder).sink { _ in }
      _ = Fail<Int, CancellationError>(error: CancellationError()).traced("failing", recorder: recorder).sink { _ in
      } receiveValue: { _ in
      }
      let client = try Client(port: UInt16(url.port!))
      client.send(get(url.path + "/events"))
      let update = client.read(until: "\n\n") + client.read(until: "\n\n")
      #expect(update.contains("\"findings\":[{\"text\":\"failing: 1 subscription failed\""))
      #expect(update.contains("\"name\":\"numbers\"") && !update.contains("had not ended"))
      cancellable.cancel()
    }

    @Test func anUpdateIsBounded() throws {
      _ = (0..<200_000).publisher.traced("many", recorder: recorder).sink { _ in }
      let client = try Client(port: UInt16(url.port!))
      client.send(get(url.path + "/events"))
      _ = client.read(until: "\r\n\r\n")
      #expect(client.read(until: "\n\n").utf8.count < 500_000)
    }

    @Test func connectionsAreBounded() throws {
      let clients = try (0..<20).map { _ in try Client(port: UInt16(url.port!)) }
      // Those that came last may send a request, and the others were closed.
      let closed = clients.prefix(12).filter { $0.readToEnd() == "" }
      #expect(closed.count == 12)
      clients.last?.send(get(url.path + "/"))
      #expect(clients.last?.readToEnd().hasPrefix("HTTP/1.1 200") == true)
    }

    @Test func whoIsServedIsNotClosedForOthers() throws {
      let followers = try (0..<8).map { _ in try Client(port: UInt16(url.port!)) }
      for follower in followers {
        follower.send(get(url.path + "/events"))
        #expect(!follower.read(until: "\r\n\r\n").isEmpty)
      }
      #expect(try Client(port: UInt16(url.port!)).readToEnd() == "")
      for follower in followers { #expect(!follower.read(until: "\n\n").isEmpty) }
    }

    @Test func itStopsWhileManyConnect() async throws {
      let connected = DispatchSemaphore(value: 0)
      let port = UInt16(url.port!)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            await onThread {
              while (try? Client(port: port)) != nil { connected.signal() }
            }
          }
        }
        group.addTask { [server] in
          await onThread {
            for _ in 0..<100 { connected.wait() }
            server.stop()
          }
        }
      }
    }

    @Test func aRoundAcceptsAFew() throws {
      let rounds = Rounds()
      let server = try TraceServer(recorder: recorder, port: 0, title: "Live", now: rounds.now)
      let url = URL(string: server.address)!
      rounds.hold()
      defer { rounds.release() }
      let clients = try (0..<16).map { _ in try Client(port: UInt16(url.port!)) }
      // It ends the round in which they came.
      rounds.pass()
      rounds.pass()
      #expect(clients.map(\.isClosed) == Array(repeating: false, count: 16))
      rounds.pass()
      #expect(clients.map(\.isClosed) == (0..<16).map { $0 < 8 })
    }

    // MARK: Time

    /// A server whose time stands still, with a recording of which an update takes many megabytes.
    private func serverOfLargeUpdates(_ rounds: Rounds) throws -> TraceServer {
      let hook = recorder.hook("database")
      let statement = String(repeating: "\u{1F600}", count: 500)
      for _ in 0..<TraceService.mostEvents {
        hook(TraceEvent(kind: .init(rawValue: "statement"), source: "s", message: statement, start: .now))
      }
      return try TraceServer(recorder: recorder, port: 0, title: "Live", now: rounds.now)
    }

    private func get(_ path: String, of server: TraceServer) -> String {
      let url = URL(string: server.address)!
      return "GET \(url.path)/\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(url.port!)\r\n\r\n"
    }

    private func client(of server: TraceServer, readsSlowly: Bool = false) throws -> Client {
      try Client(port: UInt16(URL(string: server.address)!.port!), readsSlowly: readsSlowly)
    }

    /// A client that follows, and does not read faster than it is asked.
    private func slowFollower(of server: TraceServer) throws -> Client {
      let client = try client(of: server, readsSlowly: true)
      client.send(get("events", of: server))
      _ = client.read(until: "\r\n\r\n")
      return client
    }

    /// Returns once the server has done what was due.
    private func waitForARound(of server: TraceServer) throws {
      let client = try client(of: server)
      client.send(get("none", of: server))
      #expect(client.readToEnd().hasPrefix("HTTP/1.1 404"))
    }

    @Test func aLargeUpdateDoesNotDelayTheNext() throws {
      let rounds = Rounds()
      let server = try serverOfLargeUpdates(rounds)
      let client = try slowFollower(of: server)
      // So that it cannot have been sent at once.
      try waitForARound(of: server)
      #expect(client.read(until: "\n\n").utf8.count > 8_000_000)
      rounds.time.update { $0 += TraceService.pause }
      #expect(!client.read(until: "\n\n").isEmpty)
    }

    @Test func whoDoesNotReadIsClosed() throws {
      let rounds = Rounds()
      let server = try serverOfLargeUpdates(rounds)
      let slow = try slowFollower(of: server)
      #expect(slow.read(until: "data: ") == "data: ")
      rounds.time.update { $0 += TraceService.patience - 1 }
      try waitForARound(of: server)
      rounds.time.update { $0 += 1 }
      try waitForARound(of: server)
      let rest = slow.readToEnd()
      #expect(rest.utf8.count < 8_000_000 && !rest.contains("\n\n"))
      #expect(slow.isClosed)
    }

    @Test func aRequestTakesTenSecondsAtMost() throws {
      let rounds = Rounds()
      let server = try TraceServer(recorder: recorder, port: 0, title: "Live", now: rounds.now)
      let (late, never) = (try client(of: server), try client(of: server))
      for client in [late, never] { client.send("GET") }
      try waitForARound(of: server)
      rounds.time.update { $0 += TraceService.patience - 1 }
      try waitForARound(of: server)
      late.send(String(get("", of: server).dropFirst(3)))
      #expect(late.readToEnd().hasPrefix("HTTP/1.1 200"))
      #expect(!never.isClosed)
      rounds.time.update { $0 += 1 }
      #expect(never.readToEnd() == "")
      #expect(never.isClosed)
    }

    @Test func aRequestWithoutEndIsRefused() throws {
      let client = try Client(port: UInt16(url.port!))
      client.send(String(repeating: "x", count: TraceRequest.limit))
      #expect(client.readToEnd() == "")
      #expect(client.isClosed)
    }

    @Test func whatAFollowerSaysIsIgnored() throws {
      let rounds = Rounds()
      let server = try TraceServer(recorder: recorder, port: 0, title: "Live", now: rounds.now)
      let client = try client(of: server)
      client.send(get("events", of: server))
      #expect(!client.read(until: "\n\n").isEmpty)
      client.send(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 5_000))
      rounds.time.update { $0 += TraceService.pause }
      #expect(client.read(until: "\n\n").hasPrefix("data: "))
    }

    @Test func stopEndsConnections() throws {
      let client = try Client(port: UInt16(url.port!))
      client.send(get(url.path + "/events"))
      _ = client.read(until: "\r\n\r\n")
      server.stop()
      server.stop()
      while !client.read(until: "\n\n").isEmpty {}
      #expect(throws: Client.Failure.self) { try Client(port: UInt16(url.port!)) }
    }

    @Test func tokensDiffer() throws {
      let other = try TraceServer(recorder: recorder)
      #expect(URL(string: other.address)!.path != url.path)
      #expect(url.path.count == 33)
    }

    @Test func aPortThatIsTakenIsNamed() throws {
      let error = #expect(throws: TraceServer.Failure.self) { try TraceServer(port: UInt16(url.port!)) }
      #expect(error?.description.contains("port \(url.port!) of the loopback interface") == true)
    }
  }

  /// A server's clock, which a test advances, and its rounds, which a test can hold.
  private final class Rounds: Sendable {
    let time = Shared<UInt64>(0)
    private let isHeld = Atomic(false)
    private let hasBegun = DispatchSemaphore(value: 0)
    private let mayGoOn = DispatchSemaphore(value: 0)

    @Sendable func now() -> UInt64 {
      if isHeld.load(ordering: .acquiring) {
        hasBegun.signal()
        mayGoOn.wait()
      }
      return time.value
    }

    /// Returns when the server waits at the beginning of a round.
    func hold() {
      isHeld.store(true, ordering: .releasing)
      hasBegun.wait()
    }

    /// Returns when it waits at the beginning of the next one.
    func pass() {
      mayGoOn.signal()
      hasBegun.wait()
    }

    func release() {
      isHeld.store(false, ordering: .releasing)
      mayGoOn.signal()
    }
  }

  /// A connection of a test, which waits, but not for ever.
  private final class Client {
    struct Failure: Error {}

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// - Parameter readsSlowly: Whether the system keeps little of what arrives.
    init(port: UInt16, readsSlowly: Bool = false) throws {
      #if canImport(Darwin)
        let kind = SOCK_STREAM
      #else
        let kind = Int32(SOCK_STREAM.rawValue)
      #endif
      descriptor = socket(AF_INET, kind, 0)
      var limit = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      if readsSlowly {
        var size: Int32 = 16_384
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let descriptor = descriptor
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if !isConnected { throw Failure() }
    }

    deinit { close(descriptor) }

    /// Whether the other side has closed it, and all has been read.
    var isClosed: Bool {
      var byte: UInt8 = 0
      return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    func send(_ text: String) {
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count <= 0 { return }
        rest = rest.dropFirst(count)
      }
    }

    private func fill() -> Bool {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count > 0 { buffer += bytes[..<count] }
      return count > 0
    }

    func readToEnd() -> String {
      while fill() {}
      defer { buffer = [] }
      return String(decoding: buffer, as: UTF8.self)
    }

    /// What comes up to a mark; empty at the end.
    func read(until mark: String) -> String {
      var searched = 0
      let mark = Data(mark.utf8)
      while true {
        if let range = Data(buffer[searched...]).range(of: mark) {
          let end = searched + range.upperBound
          defer { buffer.removeFirst(end) }
          return String(decoding: buffer[..<end], as: UTF8.self)
        }
        searched = max(0, buffer.count - mark.count + 1)
        if !fill() { return "" }
      }
    }
  }
#endif
