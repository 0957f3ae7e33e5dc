#if INTERFLOW_FOUNDATION_NETWORKING
  import Combine
  import Foundation
  import InterflowTestSupport
  import InterflowTesting
  import Testing

  /// Takes every request and answers none.
  private final class UnansweredProtocol: URLProtocol {
    override static func canInit(with request: URLRequest) -> Bool { true }
    override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {}
    override func stopLoading() {}
  }

  /// Requests to a server of the test's own.
  @Suite("URLSession.dataTaskPublisher")
  struct DataTaskPublisherTests {
    typealias Output = URLSession.DataTaskPublisher.Output

    let session = URLSession(configuration: .ephemeral)

    /// What a subscriber gets, and what fires when the stream is over.
    func observe(
      _ publisher: URLSession.DataTaskPublisher, demand: Subscribers.Demand = .unlimited
    ) -> (RecordingSubscriber<Output, URLError>, Signal) {
      let (recorder, ended) = (RecordingSubscriber<Output, URLError>(initialDemand: demand), Signal())
      recorder.onCompletion = { _ in ended.fire() }
      publisher.subscribe(recorder)
      return (recorder, ended)
    }

    // MARK: Answers

    @Test func theAnswerComesWithItsResponse() async throws {
      let server = try HTTPServer { _, connection in
        connection.respond(headers: ["X-Answer: yes"], body: Data("hello".utf8))
      }
      let (recorder, ended) = observe(session.dataTaskPublisher(for: server.url("/greeting?name=a")))
      await ended.wait()
      let (data, response) = try #require(recorder.values.first)
      #expect(recorder.values.count == 1)
      #expect(recorder.isFinished)
      #expect(recorder.subscriptionNames == ["DataTaskPublisher"])
      #expect(data == Data("hello".utf8))
      let http = try #require(response as? HTTPURLResponse)
      #expect(http.statusCode == 200)
      #expect(http.value(forHTTPHeaderField: "X-Answer") == "yes")
      #expect(server.requests.map(\.method) == ["GET"])
      #expect(server.requests.map(\.path) == ["/greeting?name=a"])
    }

    @Test func theRequestIsSentAsItIs() async throws {
      let server = try HTTPServer { request, connection in connection.respond("201 Created", body: request.body) }
      var request = URLRequest(url: server.url("/items"))
      request.httpMethod = "PUT"
      request.setValue("first", forHTTPHeaderField: "X-Item")
      request.httpBody = Data(repeating: 7, count: 100_000)
      let publisher = session.dataTaskPublisher(for: request)
      #expect(publisher.request == request)
      #expect(publisher.session === session)
      let (recorder, ended) = observe(publisher)
      await ended.wait()
      #expect(recorder.values.first?.data == request.httpBody)
      #expect((recorder.values.first?.response as? HTTPURLResponse)?.statusCode == 201)
      let seen = try #require(server.requests.first)
      #expect(seen.method == "PUT")
      #expect(seen.headers["x-item"] == "first")
      #expect(seen.body == request.httpBody)
    }

    @Test(arguments: ["404 Not Found", "500 Internal Server Error"])
    func aStatusThatStandsForAnErrorIsAnAnswer(_ status: String) async throws {
      let server = try HTTPServer { _, connection in connection.respond(status, body: Data("no".utf8)) }
      let (recorder, ended) = observe(session.dataTaskPublisher(for: server.url()))
      await ended.wait()
      #expect(recorder.isFinished)
      let code = (recorder.values.first?.response as? HTTPURLResponse)?.statusCode
      #expect(code.map { status.hasPrefix("\($0)") } == true)
      #expect(recorder.values.first?.data == Data("no".utf8))
    }

    @Test func anAnswerMayBeEmpty() async throws {
      let server = try HTTPServer { _, connection in connection.respond("204 No Content") }
      let (recorder, ended) = observe(session.dataTaskPublisher(for: server.url()))
      await ended.wait()
      #expect(recorder.values.first?.data == Data())
      #expect(recorder.isFinished)
    }

    @Test func aLargeAnswerComesWhole() async throws {
      let body = Data((0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      let server = try HTTPServer { _, connection in connection.respond(body: body) }
      let (recorder, ended) = observe(session.dataTaskPublisher(for: server.url()))
      await ended.wait()
      #expect(recorder.values.first?.data == body)
      #expect(recorder.isFinished)
    }

    @Test func aSlowAnswerIsWaitedFor() async throws {
      let proceed = Latch()
      let (begun, server) = try serverThatStops { connection in
        proceed.wait()
        connection.send(Data("ts".utf8))
      }
      let (recorder, ended) = observe(session.dataTaskPublisher(for: server.url()))
      await begun.wait()
      #expect(recorder.log.isEmpty)
      proceed.open()
      await ended.wait()
      #expect(recorder.values.first?.data == Data("parts".utf8))
    }

    /// A server that promises five bytes and sends three.
    func serverThatStops(
      _ rest: @escaping @Sendable (HTTPServer.Connection) -> Void
    ) throws -> (begun: Signal, server: HTTPServer) {
      let begun = Signal()
      let server = try HTTPServer { _, connection in
        connection.sendHead(length: 5)
        connection.send(Data("par".utf8))
        begun.fire()
        rest(connection)
      }
      return (begun, server)
    }

    // MARK: Failures

    @Test func anAnswerThatIsCutOffFails() async throws {
      let (_, server) = try serverThatStops { _ in }
      let (recorder, ended) = observe(session.dataTaskPublisher(for: server.url()))
      await ended.wait()
      #expect(recorder.values.isEmpty)
      // Which code it is differs between Foundations. It is the session's own, as it says what was asked for.
      #expect(recorder.error?.failingURL == server.url())
    }

    @Test func aConnectionThatIsRefusedFails() async throws {
      let url = try #require(URL(string: "http://127.0.0.1:\(HTTPServer.unusedPort())/"))
      let (recorder, ended) = observe(session.dataTaskPublisher(for: url))
      await ended.wait()
      #expect(recorder.values.isEmpty)
      #expect(recorder.error?.code == .cannotConnectToHost)
      #expect(recorder.error?.failingURL == url)
    }

    @Test func anAnswerThatTakesTooLongFails() async throws {
      let (_, server) = try serverThatStops { $0.waitForClose() }
      var request = URLRequest(url: server.url())
      request.timeoutInterval = 1
      let (recorder, ended) = observe(session.dataTaskPublisher(for: request))
      await ended.wait()
      #expect(recorder.values.isEmpty)
      #expect(recorder.error?.code == .timedOut)
    }

    @Test func aSchemeThatNobodyKnowsFails() async throws {
      let url = try #require(URL(string: "unheard-of://127.0.0.1/"))
      let (recorder, ended) = observe(session.dataTaskPublisher(for: url))
      await ended.wait()
      #expect(recorder.error?.code == .unsupportedURL)
    }

    // MARK: Demand

    @Test func nothingIsRequestedBeforeThereIsDemand() async throws {
      let server = try HTTPServer { _, connection in connection.respond() }
      let (waiting, waitingEnded) = observe(session.dataTaskPublisher(for: server.url("/1")), demand: .none)
      let (_, ended) = observe(session.dataTaskPublisher(for: server.url("/2")))
      await ended.wait()
      #expect(server.requests.map(\.path) == ["/2"])
      waiting.request(.max(1))
      await waitingEnded.wait()
      #expect(server.requests.map(\.path) == ["/2", "/1"])
      #expect(waiting.isFinished)
    }

    @Test func moreDemandStartsNothingMore() async throws {
      let server = try HTTPServer { _, connection in connection.respond() }
      let (recorder, ended) = observe(session.dataTaskPublisher(for: server.url()), demand: .none)
      let box = UncheckedBox(recorder)  // Requests may come from several threads.
      inParallel(4) { _ in
        for _ in 0..<20 { box.value.request(.max(1)) }
      }
      await ended.wait()
      recorder.request(.unlimited)
      #expect(server.requests.count == 1)
      #expect(recorder.values.count == 1)
      #expect(recorder.completions == 1)
      #expect(recorder.isFinished)
    }

    @Test func moreDemandResumesATaskThatWasSuspended() async throws {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.protocolClasses = [UnansweredProtocol.self]
      let session = URLSession(configuration: configuration)
      let url = try #require(URL(string: "unanswered://here"))
      let (recorder, _) = observe(session.dataTaskPublisher(for: url), demand: .max(1))
      let task = try #require(
        await withCheckedContinuation { found in session.getAllTasks { found.resume(returning: $0.first) } })
      recorder.request(.max(1))
      #expect(task.state == .running)
      task.suspend()
      #expect(task.state == .suspended)
      recorder.request(.max(1))
      #expect(task.state == .running)
      recorder.cancel()
    }

    @Test func requestsThatRaceMakeOneTask() async throws {
      let server = try HTTPServer { _, connection in connection.respond() }
      for round in 1...50 {
        let (recorder, ended) = observe(session.dataTaskPublisher(for: server.url()), demand: .none)
        let box = UncheckedBox(recorder)  // Requests may come from several threads.
        inParallel(3) { _ in box.value.request(.max(1)) }
        await ended.wait()
        #expect(recorder.isFinished)
        #expect(server.requests.count == round)
      }
    }

    @Test func eachSubscriberHasARequestOfItsOwn() async throws {
      let server = try HTTPServer { _, connection in connection.respond(body: Data("a".utf8)) }
      let publisher = session.dataTaskPublisher(for: server.url())
      let observed = [observe(publisher), observe(publisher)]
      for (recorder, ended) in observed {
        await ended.wait()
        #expect(recorder.values.map(\.data) == [Data("a".utf8)])
      }
      #expect(server.requests.count == 2)
    }

    // MARK: Cancellation

    @Test func cancellingBeforeTheRequestMakesNone() async throws {
      let server = try HTTPServer { _, connection in connection.respond() }
      let (recorder, _) = observe(session.dataTaskPublisher(for: server.url("/1")), demand: .none)
      recorder.cancel()
      recorder.request(.unlimited)
      let (_, ended) = observe(session.dataTaskPublisher(for: server.url("/2")))
      await ended.wait()
      #expect(server.requests.map(\.path) == ["/2"])
      #expect(recorder.log.isEmpty)
    }

    @Test func cancellingClosesTheConnectionAndDeliversNothing() async throws {
      let closed = Signal()
      let (begun, server) = try serverThatStops { connection in
        connection.waitForClose()
        closed.fire()
      }
      let (recorder, _) = observe(session.dataTaskPublisher(for: server.url()))
      await begun.wait()
      recorder.cancel()
      recorder.cancel()
      await closed.wait()
      #expect(recorder.log.isEmpty)
    }

    @Test func cancellingInsideTheValueKeepsTheCompletionBack() async throws {
      let server = try HTTPServer { _, connection in connection.respond() }
      let (recorder, valued) = (RecordingSubscriber<Output, URLError>(), Signal())
      recorder.onValue = { [unowned recorder] _ in
        recorder.cancel()
        valued.fire()
      }
      session.dataTaskPublisher(for: server.url()).subscribe(recorder)
      await valued.wait()
      let (_, ended) = observe(session.dataTaskPublisher(for: server.url()))
      await ended.wait()
      #expect(recorder.completions == 0)
    }

    @Test func requestsAndCancellationsMayRace() async throws {
      let server = try HTTPServer { _, connection in connection.respond() }
      for _ in 0..<50 {
        let (recorder, _) = observe(session.dataTaskPublisher(for: server.url()), demand: .none)
        let box = UncheckedBox(recorder)  // Both may come from any thread.
        inParallel(2) { thread in
          if thread == 0 { box.value.request(.max(1)) } else { box.value.cancel() }
        }
        #expect(recorder.error == nil)
      }
    }

    // MARK: Release

    @Test func everythingIsReleasedAtTheEnd() async throws {
      let counter = LifetimeCounter()
      let server = try HTTPServer { _, connection in connection.respond() }
      let refused = try #require(URL(string: "http://127.0.0.1:\(HTTPServer.unusedPort())/"))
      for url in [server.url(), refused] {
        let ended = Signal()
        var subscription: (any Subscription)?
        do {
          let token = counter.make()
          let recorder = RecordingSubscriber<Output, URLError>(demandForEach: { _ in
            token.touch()
            return .none
          })
          recorder.onCompletion = { _ in ended.fire() }
          session.dataTaskPublisher(for: url).subscribe(recorder)
          subscription = recorder.subscription
          await ended.wait()
          recorder.releaseSubscriptions()
        }
        // The thread that delivered may still be on its way out.
        await until { counter.count == 0 }
        withExtendedLifetime(subscription) {}
      }
    }

    @Test func everythingIsReleasedAtOnceByACancellation() async throws {
      let counter = LifetimeCounter()
      let (begun, server) = try serverThatStops { $0.waitForClose() }
      do {
        let token = counter.make()
        let cancellable = session.dataTaskPublisher(for: server.url())
          .sink { _ in
            token.touch()
          } receiveValue: { _ in
          }
        await begun.wait()
        cancellable.cancel()
      }
      #expect(counter.count == 0)
    }

    // MARK: As it is used

    @Test func answersAreDecodedAndAwaited() async throws {
      struct Item: Codable, Equatable {
        var name: String
      }

      let server = try HTTPServer { request, connection in
        connection.respond(request.path == "/good" ? "200 OK" : "404 Not Found", body: Data(#"{"name":"a"}"#.utf8))
      }
      func item(_ path: String) -> AnyPublisher<Item, any Error> {
        session.dataTaskPublisher(for: server.url(path))
          .tryMap { data, response in
            guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
            return data
          }
          .decode(type: Item.self, decoder: JSONDecoder())
          .eraseToAnyPublisher()
      }
      for try await value in item("/good").values { #expect(value == Item(name: "a")) }
      await #expect(throws: URLError(.badServerResponse)) {
        for try await _ in item("/bad").values {}
      }
    }
  }
#endif
