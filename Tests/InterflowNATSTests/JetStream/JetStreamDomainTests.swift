import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Streams of servers that are not those to which a program is connected.
@Suite struct JetStreamDomainTests {
  private func options(domain: String? = nil, prefix: String? = nil) -> NATSOptions {
    var options = NATSOptions.patient
    options.jetStreamDomain = domain
    options.jetStreamPrefix = prefix
    return options
  }

  /// Two servers, of which the second is a leaf node of the first, each with a domain of its own.
  private func hubAndLeaf(_ program: String?) throws -> (hub: NATSServer, leaf: NATSServer) {
    let port = try ReservedPort()
    let hub = try NATSServer(
      program: program,
      configuration: """
        server_name: hub
        jetstream { domain: hub }
        leafnodes { listen: "127.0.0.1:\(port.number)" }
        """)
    let leaf = try NATSServer(
      program: program,
      configuration: """
        server_name: leaf
        jetstream { domain: leaf }
        leafnodes { remotes: [ { url: "nats-leaf://127.0.0.1:\(port.number)" } ] }
        """)
    return (hub, leaf)
  }

  @Test(arguments: NATSServer.programs) func theStreamsOfAnotherDomainAreUsed(program: String?) async throws {
    let (hub, leaf) = try hubAndLeaf(program)
    let there = try await NATSConnection(urls: [hub.url], options: .patient)
    let here = try await NATSConnection(urls: [leaf.url], options: options(domain: "hub"))
    let local = try await NATSConnection(urls: [leaf.url], options: .patient)
    _ = try await NATSStream<Int>(there, "NUMBERS")
    // The leaf node may not have found its hub.
    var found: NATSStream<Int>?
    while found == nil { found = try? await NATSStream<Int>(here, existing: "NUMBERS") }
    let stream = try #require(found)
    let missing = await natsError { _ = try await NATSStream<Int>(local, existing: "NUMBERS") }
    #expect(missing?.kind == .notFound)

    try await stream.send(1, id: "one", retrying: .untilStored)
    try await stream.send(2, expecting: .last(1))
    #expect(try await stream.state().lastSequence == 2)
    for try await value in stream.values(durable: "reader") where value == 2 { break }
    for try await value in stream.replay().asyncValues where value.value == 2 { break }
    let value = try await NATSValue<Int>(here, bucket: "state", key: "value")
    try await value.send(7)
    #expect(try await value.update { $0 = ($0 ?? 0) + 1 } == 8)
    let remote = try await NATSValue<Int>(there, bucket: "state", key: "value", settings: nil)
    #expect(try await remote.refresh() == 8)
    withExtendedLifetime((hub, leaf)) {}
  }

  @Test func aPrefixIsTheBeginningOfRequests() async throws {
    let server = try NATSServer(configuration: "jetstream { domain: hub }")
    let connection = try await NATSConnection(urls: [server.url], options: options(prefix: "$JS.hub.API"))
    let stream = try await NATSStream<Int>(connection, "NUMBERS")
    try await stream.send(1)
    for try await value in stream.replay().asyncValues where value.value == 1 { break }
    let other = try await NATSConnection(urls: [server.url], options: options(domain: "elsewhere"))
    #expect(await natsError { _ = try await NATSStream<Int>(other, "NUMBERS") }?.kind == .jetStreamDisabled)
    #expect(await natsError { _ = try await stream.state() } == nil)
  }

  @Test func wrongNamesAreRefused() async throws {
    let server = try NATSServer(jetStream: false)
    for options in [
      options(domain: "a.b"), options(domain: ""), options(domain: "*"), options(prefix: "a b"), options(prefix: "a.>"),
      options(prefix: String(repeating: "a", count: 257)), options(domain: "a", prefix: "b"),
    ] {
      #expect(await natsError { _ = try await NATSConnection(urls: [server.url], options: options) }?.kind == .misuse)
    }
  }
}
