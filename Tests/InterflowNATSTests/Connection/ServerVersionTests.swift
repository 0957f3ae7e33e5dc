import Dispatch
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite struct ServerVersionTests {
  private func version(_ line: String, requiresTLS: Bool = false) -> ServerVersion? {
    ServerVersion(introduction: Data(line.utf8), requiresTLS: requiresTLS)
  }

  @Test func versionsAreInTheOrderOfTheirParts() throws {
    let texts = ["1.4.1", "2.9.9", "2.9.10", "2.10.0-RC.7", "2.10.0", "2.10.25", "3.0.0"]
    let versions = try texts.map { try #require(ServerVersion($0)) }
    #expect(versions == versions.sorted())
    #expect(Set(versions.map(\.description)).count == texts.count)
    for (index, version) in versions.enumerated() {
      for other in versions[(index + 1)...] { #expect(version < other) }
    }
  }

  @Test(arguments: [
    "", "2", "2.9", "2.9.x", "2.9.10.1", "-1.2.3", "v2.9.10", "2..1", "99999999999999999999.0.0", "2.9.10\0",
  ])
  func whatIsNoVersionIsNone(text: String) {
    #expect(ServerVersion(text) == nil)
  }

  @Test func aServerSaysItsVersionFirst() {
    #expect(version(#"INFO {"server_id":"A","version":"2.9.10","proto":1} "#) == ServerVersion(2, 9, 10))
    for line in ["", "INFO", "INFO {}", "INFO []", #"INFO {"version":2}"#, #"-ERR {"version":"2.9.10"}"#, "INFO {\0"] {
      #expect(version(line) == nil)
    }
  }

  @Test func whereTLSIsRequiredItIsBelievedWithTLSOnly() {
    let fields = #""version":"2.10.1""#
    #expect(version("INFO {\(fields)}", requiresTLS: true) == nil)
    #expect(version(#"INFO {\#(fields),"tls_required":false}"#, requiresTLS: true) == nil)
    #expect(version(#"INFO {\#(fields),"tls_required":true}"#, requiresTLS: true) != nil)
    #expect(version(#"INFO {\#(fields),"tls_available":true}"#, requiresTLS: true) != nil)
  }

  @Test func addressesHaveAHostAndAPort() {
    func parts(_ address: String) -> [String]? { ServerIntroduction.parts(of: address).map { [$0.host, $0.port] } }
    #expect(parts("nats://host:4222") == ["host", "4222"])
    #expect(parts("tls://a:b@[::1]:1") == ["::1", "1"])
    #expect(parts("host:99") == ["host", "99"])
    for address in ["host", "nats://host", "nats://:4222", "host:0x1", "host:70000", ""] {
      #expect(parts(address) == nil)
    }
  }

  @Test func anIntroductionIsReadFromAServerThatIsSentNothing() throws {
    let server = try FakeServer()
    defer { server.close() }
    let line = try #require(ServerIntroduction.read(from: [server.url], within: .seconds(60))[0])
    #expect(String(decoding: line, as: UTF8.self) == "INFO \(FakeServer.information)")
    #expect(server.received.isEmpty)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(86_400 * 30)])
  func anIntroductionMayTakeAnyTime(limit: Duration) throws {
    let server = try FakeServer()
    defer { server.close() }
    #expect(ServerIntroduction.read(from: [server.url], within: limit)[0] != nil)
  }

  @Test func anAddressThatIsSilentLeavesTimeToTheOthers() throws {
    let server = try FakeServer()
    // Its first bytes come when all is over.
    let silent = try TCPProxy(to: server.port, delay: 60_000_000)
    defer {
      silent.close()
      server.close()
    }
    var candidates: [addrinfo] = []
    for port in [silent.port, server.port] {
      var found: UnsafeMutablePointer<addrinfo>?
      var hints = addrinfo()
      hints.ai_protocol = Int32(IPPROTO_TCP)
      #expect(getaddrinfo("127.0.0.1", "\(port)", &hints, &found) == 0)
      candidates.append(try #require(found).pointee)
    }
    #expect(ServerIntroduction.lines(of: [candidates], until: .now() + .seconds(16))[0] != nil)
  }

  /// They end when another server has answered, which is not asked after them.
  @Test func serversThatAreSilentDelayNoOthers() async throws {
    let server = try FakeServer()
    let silent = try Socket.listening()
    defer { server.close() }
    let addresses = ["x"] + Array(repeating: "nats://127.0.0.1:\(silent.port)", count: 10) + [server.url]
    let ending = Task {
      await server.disconnected.wait()
      silent.0.end()
    }
    let lines = await waitForResult { report in
      Thread.detachNewThread { report(ServerIntroduction.read(from: addresses, within: .seconds(86_400))) }
    }
    await ending.value
    #expect(lines.count == addresses.count)
    #expect(lines.dropLast().allSatisfy { $0 == nil })
    #expect(lines.last??.starts(with: Data("INFO ".utf8)) == true)
  }

  @Test func aServerThatSaysNothingHasNoIntroduction() throws {
    let silent = try ReservedPort()
    #expect(ServerIntroduction.read(from: ["nats://127.0.0.1:\(silent.number)"], within: .seconds(60)) == [nil])
    let server = try FakeServer(information: String(repeating: "x", count: 100_000))
    defer { server.close() }
    #expect(ServerIntroduction.read(from: [server.url], within: .seconds(60)) == [nil])
  }
}
