import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

@Suite(.serialized) struct ExpectedSequenceTests {
  @Test(arguments: NATSServer.programs)
  func theStreamsLastSequenceDecides(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    let stream = fixture.stream
    #expect(try await stream.send(1, expecting: .last(0)).sequence == 1)
    let first = await natsError { try await stream.send(2, expecting: .last(0)) }
    #expect(first?.kind == .wrongSequence(found: 1))
    #expect(try await stream.send(2, expecting: .last(1), to: "numbers.other").sequence == 2)
    let ahead = await natsError { try await stream.send(3, expecting: .last(7)) }
    #expect(ahead?.kind == .wrongSequence(found: 2))
    // What has been removed counts.
    try await stream.removeAll()
    #expect(await natsError { try await stream.send(3, expecting: .last(0)) }?.kind == .wrongSequence(found: 2))
    #expect(try await stream.send(3, expecting: .last(2)).sequence == 3)
    withExtendedLifetime(fixture) {}
  }

  @Test(arguments: NATSServer.programs)
  func theSubjectsLastSequenceDecides(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    let stream = fixture.stream
    try await stream.send(1, to: "numbers.a")
    #expect(try await stream.send(2, expecting: .lastOfSubject(0), to: "numbers.b").sequence == 2)
    let again = await natsError { try await stream.send(3, expecting: .lastOfSubject(0), to: "numbers.b") }
    #expect(again?.kind == .wrongSequence(found: 2))
    let other = await natsError { try await stream.send(3, expecting: .lastOfSubject(2), to: "numbers.a") }
    #expect(other?.kind == .wrongSequence(found: 1))
    #expect(try await stream.send(3, expecting: .lastOfSubject(1), to: "numbers.a").sequence == 3)
    #expect(try await stream.state().messageCount == 3)
    withExtendedLifetime(fixture) {}
  }

  /// A second attempt finds what the first one has stored.
  @Test(arguments: NATSServer.programs)
  func withAnIdentifierItCanBeSentAgain(program: String?) async throws {
    let fixture = try await Fixture(program: program)
    let stream = fixture.stream
    let headers: NATSHeaders = ["A": "b"]
    try await stream.send(1, id: "one", headers: headers, expecting: .last(0))
    let again = try await stream.send(1, id: "one", headers: headers, expecting: .last(0), retrying: .untilStored)
    #expect(again.isDuplicate && again.sequence == 1)
    try await stream.send(2, to: "numbers.other")
    let subject = try await stream.send(3, id: "three", expecting: .lastOfSubject(1))
    try await stream.send(4)
    for _ in 0..<2 {
      let duplicate = try await stream.send(3, id: "three", expecting: .lastOfSubject(1))
      #expect(duplicate.isDuplicate && duplicate.sequence == subject.sequence)
      let first = try await stream.send(1, id: "one", expecting: .last(0))
      #expect(first.isDuplicate && first.sequence == 1)
    }
    // That of another value, in the same place, is none.
    let error = await natsError { try await stream.send(5, id: "five", expecting: .lastOfSubject(1)) }
    #expect(error?.kind == .wrongSequence(found: 4))
    #expect(try await stream.state().lastSequence == 4)
    withExtendedLifetime(fixture) {}
  }

  @Test func retryingDoesNotRepeatWhatOthersHaveChanged() async throws {
    let fixture = try await Fixture()
    let stream = fixture.stream
    try await stream.send(1)
    let error = await natsError { try await stream.send(2, id: "two", expecting: .last(0), retrying: .untilStored) }
    #expect(error?.kind == .wrongSequence(found: 1))
    withExtendedLifetime(fixture) {}
  }

  /// The numbers that a program adds up over a stream, each from what it has seen.
  private func count(_ streams: [NATSStream<Int>], each: Int, of subject: Bool) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for stream in streams {
        group.addTask {
          var (seen, done) = (UInt64(0), 0)
          while done < each {
            do {
              let expected: NATSExpectedSequence = subject ? .lastOfSubject(seen) : .last(seen)
              seen = try await stream.send(done, expecting: expected).sequence
              done += 1
            } catch let error as NATSError {
              switch error.kind {
              case .wrongSequence(let found): seen = found ?? seen
              // It may be stored, and counts then.
              case .unavailable: break
              default: throw error
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: NATSServer.programs)
  func ofSeveralOneSucceeds(program: String?) async throws {
    let server = try NATSServer(program: program)
    var options = NATSOptions.patient
    // A busy machine may take long for all that these send.
    options.requestTimeout = .seconds(300)
    var streams: [NATSStream<Int>] = []
    for _ in 0..<4 {
      streams.append(try await NATSStream(NATSConnection(urls: [server.url], options: options), "NUMBERS"))
    }
    try await count(streams, each: 50, of: false)
    try await count(streams, each: 50, of: true)
    #expect(try await streams[0].state().lastSequence == 400)
  }

  private func cluster(
    _ program: String?, options: NATSOptions = NATSOptions.patient
  ) async throws -> (NATSCluster, [NATSStream<Int>]) {
    let cluster = try NATSCluster(program: program)
    var settings = NATSStreamSettings()
    settings.replicas = 3
    var streams: [NATSStream<Int>] = []
    for url in cluster.urls {
      let connection = try await NATSConnection(urls: [url], options: options)
      // Until the servers have found each other.
      while streams.count < cluster.urls.count {
        guard let stream = try? await NATSStream<Int>(connection, "NUMBERS", settings: settings) else { continue }
        streams.append(stream)
        break
      }
    }
    return (cluster, streams)
  }

  /// Both versions compare the stream's number when a value is stored.
  @Test(arguments: NATSServer.programs)
  func aClusterComparesTheStreamsSequence(program: String?) async throws {
    let (cluster, streams) = try await cluster(program)
    while (try? await streams[0].send(-1, id: "first", expecting: .last(0))) == nil {}
    try await count(streams, each: hasThreadSanitizer ? 10 : 40, of: false)
    // Each value that was said to be stored is there.
    let state = try await streams[0].state()
    #expect(state.lastSequence == (hasThreadSanitizer ? 31 : 121))
    withExtendedLifetime(cluster) {}
  }

  @Test func anOldClusterRefusesTheSubjectsSequence() async throws {
    let (cluster, streams) = try await cluster(nil)
    while (try? await streams[0].send(-1, id: "first")) == nil {}
    let opened = try await NATSStream<Int>(streams[1].connection, existing: "NUMBERS")
    for stream in [streams[0], opened] {
      let error = await natsError { try await stream.send(1, expecting: .lastOfSubject(1)) }
      #expect(error?.kind == .unsupported)
      #expect(error?.message.contains("a stream with 3 replicas") == true)
    }
    #expect(try await streams[0].state().messageCount == 1)
    withExtendedLifetime(cluster) {}
  }

  @Test(.enabled(if: NATSServer.currentProgram != nil))
  func aCurrentClusterComparesTheSubjectsSequence() async throws {
    let (cluster, streams) = try await cluster(NATSServer.currentProgram)
    while (try? await streams[0].send(-1, id: "first")) == nil {}
    try await count(streams, each: hasThreadSanitizer ? 10 : 40, of: true)
    #expect(try await streams[0].state().lastSequence == (hasThreadSanitizer ? 31 : 121))
    withExtendedLifetime(cluster) {}
  }

  /// Current servers say no number where another value is about to be stored.
  @Test func theServersTextHasTheNumber() {
    func kind(_ code: UInt32, _ message: String) -> NATSError.Kind {
      NATSError(kind: .conflict, operation: "", message: message, jetStreamCode: code).ofExpectedSequence.kind
    }
    #expect(kind(10_071, "wrong last sequence: 12") == .wrongSequence(found: 12))
    #expect(kind(10_164, "wrong last sequence") == .wrongSequence(found: nil))
    #expect(kind(10_071, "wrong last sequence: 99999999999999999999") == .wrongSequence(found: nil))
    #expect(kind(10_071, "") == .wrongSequence(found: nil))
    #expect(kind(10_059, "12") == .conflict)
  }
}
