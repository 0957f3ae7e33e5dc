#if INTERFLOW_FOUNDATION_NETWORKING
  import Foundation
  import Interflow
  import InterflowTestSupport
  import Testing

  /// Requests to a server of the test's own.
  @Suite("URLSession.bytes")
  struct URLSessionBytesTests {
    let session = URLSession(configuration: .ephemeral)

    private func text(_ bytes: URLSession.AsyncBytes) async throws -> String {
      String(decoding: try await bytes.reduce(into: []) { $0.append($1) }, as: UTF8.self)
    }

    /// A server that promises a hundred bytes, sends three, and waits until the other side closes.
    private func serverThatStops() throws -> (closed: Signal, server: HTTPServer) {
      let closed = Signal()
      let server = try HTTPServer { _, connection in
        connection.sendHead(length: 100)
        connection.send(Data("par".utf8))
        connection.waitForClose()
        closed.fire()
      }
      return (closed, server)
    }

    /// A server that promises five bytes, and closes after three.
    private func serverThatBreaksOff() throws -> HTTPServer {
      try HTTPServer { _, connection in
        connection.sendHead(length: 5)
        connection.send(Data("par".utf8))
      }
    }

    /// A server that sends `one`, and `two` when it may.
    private func serverThatPauses() throws -> (proceed: Latch, server: HTTPServer) {
      let proceed = Latch()
      let server = try HTTPServer { _, connection in
        connection.sendHead(length: 6)
        connection.send(Data("one".utf8))
        proceed.wait()
        connection.send(Data("two".utf8))
      }
      return (proceed, server)
    }

    // MARK: Answers

    @Test func theResponseComesBeforeTheBody() async throws {
      let proceed = Latch()
      let server = try HTTPServer { _, connection in
        connection.sendHead("203 Non-Authoritative Information", headers: ["X-Answer: yes"], length: 4)
        proceed.wait()
        connection.send(Data("body".utf8))
      }
      let (bytes, response) = try await session.bytes(from: server.url("/greeting"))
      let http = try #require(response as? HTTPURLResponse)
      #expect(http.statusCode == 203)
      #expect(http.value(forHTTPHeaderField: "X-Answer") == "yes")
      #expect(response.expectedContentLength == 4)
      proceed.open()
      #expect(try await text(bytes) == "body")
      #expect(server.requests.map(\.path) == ["/greeting"])
    }

    @Test func bytesComeWhileTheServerSends() async throws {
      let (proceed, count) = (Latch(), 50)
      let server = try HTTPServer { _, connection in
        connection.sendHead(length: count * 5)
        for _ in 0..<count {
          connection.send(Data("line\n".utf8))
          proceed.wait()
        }
      }
      let (bytes, _) = try await session.bytes(from: server.url())
      var lines = 0
      for try await line in bytes.lines {
        #expect(line == "line")
        lines += 1
        // The server sends nothing more until this line has come.
        proceed.open()
      }
      #expect(lines == count)
    }

    @Test func theRequestIsSentAsItIs() async throws {
      let server = try HTTPServer { request, connection in connection.respond(body: request.body) }
      var request = URLRequest(url: server.url("/items"))
      request.httpMethod = "PUT"
      request.setValue("first", forHTTPHeaderField: "X-Item")
      request.httpBody = Data(repeating: 7, count: 100_000)
      let (bytes, _) = try await session.bytes(for: request)
      #expect(await collect(bytes).values == [UInt8](repeating: 7, count: 100_000))
      let seen = try #require(server.requests.first)
      #expect(seen.method == "PUT")
      #expect(seen.headers["x-item"] == "first")
    }

    @Test func theConfigurationIsTheSessions() async throws {
      let server = try HTTPServer { _, connection in connection.respond() }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpAdditionalHeaders = ["X-Client": "tests"]
      let (bytes, _) = try await URLSession(configuration: configuration).bytes(from: server.url())
      #expect(try await text(bytes) == "")
      #expect(server.requests.first?.headers["x-client"] == "tests")
    }

    @Test func aStatusThatStandsForAnErrorIsAnAnswer() async throws {
      let server = try HTTPServer { _, connection in connection.respond("404 Not Found", body: Data("no".utf8)) }
      let (bytes, response) = try await session.bytes(from: server.url())
      #expect((response as? HTTPURLResponse)?.statusCode == 404)
      #expect(try await text(bytes) == "no")
    }

    @Test func aLargeAnswerComesWhole() async throws {
      let body = Data((0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) })
      let server = try HTTPServer { _, connection in connection.respond(body: body) }
      let (bytes, _) = try await session.bytes(from: server.url())
      var received = Data(capacity: body.count)
      for try await byte in bytes { received.append(byte) }
      #expect(received == body)
    }

    @Test func iteratorsShareTheTransfer() async throws {
      let (proceed, server) = try serverThatPauses()
      let (bytes, _) = try await session.bytes(from: server.url())
      var first = bytes.makeAsyncIterator()
      #expect(try await first.next() == UInt8(ascii: "o"))
      #expect(try await first.next() == UInt8(ascii: "n"))
      #expect(try await first.next() == UInt8(ascii: "e"))
      proceed.open()
      #expect(try await text(bytes) == "two")
      #expect(try await first.next() == nil)
      #expect(server.requests.count == 1)
    }

    // MARK: Redirections and credentials

    @Test func redirectionsAreFollowed() async throws {
      let server = try HTTPServer { request, connection in
        if request.path == "/old" {
          connection.respond("302 Found", headers: ["Location: /new"], body: Data("moved".utf8))
        } else {
          connection.respond(body: Data("here".utf8))
        }
      }
      let (bytes, response) = try await session.bytes(from: server.url("/old"))
      #expect(response.url?.path == "/new")
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(try await text(bytes) == "here")
      #expect(server.requests.map(\.path) == ["/old", "/new"])
    }

    /// A delegate that leads redirections elsewhere and gives a password.
    private final class Guide: NSObject, URLSessionTaskDelegate, @unchecked Sendable {  // `Shared` and `Signal` are.
      let seen = Shared<[String]>([])
      let ended = Signal()
      let tasks = Shared<[URLSessionTask]>([])
      let token = Shared<LifetimeCounter.Token?>(nil)

      func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
      ) {
        seen.update { $0.append("redirection \(response.statusCode) \(request.url?.path ?? "")") }
        var elsewhere = request
        elsewhere.url = URL(string: "/elsewhere", relativeTo: request.url)?.absoluteURL
        completionHandler(elsewhere)
      }

      func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
      ) {
        seen.update { $0.append("challenge \(challenge.protectionSpace.realm ?? "")") }
        let credential = URLCredential(user: "user", password: "secret", persistence: .none)
        completionHandler(
          challenge.previousFailureCount > 1 ? .cancelAuthenticationChallenge : .useCredential, credential)
      }

      func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        seen.update { $0.append("completed") }
        tasks.update { $0.append(task) }
        ended.fire()
      }
    }

    @Test(arguments: [true, false])
    func theDelegateDecidesAboutRedirections(isTheSessions: Bool) async throws {
      let server = try HTTPServer { request, connection in
        if request.path == "/old" {
          connection.respond("302 Found", headers: ["Location: /new"])
        } else {
          connection.respond(body: Data(request.path.utf8))
        }
      }
      let guide = Guide()
      let session =
        isTheSessions ? URLSession(configuration: .ephemeral, delegate: guide, delegateQueue: nil) : self.session
      let (bytes, _) = try await session.bytes(from: server.url("/old"), delegate: isTheSessions ? nil : guide)
      #expect(try await text(bytes) == "/elsewhere")
      await guide.ended.wait()
      #expect(guide.seen.value == ["redirection 302 /new", "completed"])
      #expect(guide.tasks.value.first === bytes.task)
    }

    private func serverWithAPassword() throws -> HTTPServer {
      let expected = "Basic \(Data("user:secret".utf8).base64EncodedString())"
      return try HTTPServer { request, connection in
        if request.headers["authorization"] == expected {
          connection.respond(body: Data("welcome".utf8))
        } else {
          connection.respond(
            "401 Unauthorized", headers: ["WWW-Authenticate: Basic realm=\"house\""], body: Data("who?".utf8))
        }
      }
    }

    @Test func theDelegateGivesCredentials() async throws {
      let (server, guide) = (try serverWithAPassword(), Guide())
      let (bytes, response) = try await session.bytes(from: server.url(), delegate: guide)
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(try await text(bytes) == "welcome")
      #expect(guide.seen.value.first == "challenge house")
    }

    @Test func withoutCredentialsTheChallengeIsTheAnswer() async throws {
      let server = try serverWithAPassword()
      let (bytes, response) = try await session.bytes(from: server.url())
      #expect((response as? HTTPURLResponse)?.statusCode == 401)
      #expect(try await text(bytes) == "who?")
    }

    // MARK: Failures

    @Test func aConnectionThatIsRefusedFails() async throws {
      let url = try #require(URL(string: "http://127.0.0.1:\(HTTPServer.unusedPort())/"))
      let error = await #expect(throws: URLError.self) { try await session.bytes(from: url) }
      #expect(error?.code == .cannotConnectToHost)
    }

    @Test func anAnswerThatIsCutOffFailsAfterWhatCame() async throws {
      let server = try serverThatBreaksOff()
      let (bytes, _) = try await session.bytes(from: server.url())
      var iterator = bytes.makeAsyncIterator()
      for byte in "par".utf8 { #expect(try await iterator.next() == byte) }
      await #expect(throws: URLError.self) { try await iterator.next() }
      #expect(try await iterator.next() == nil)
    }

    @Test func anAnswerThatIsCutOffFailsForEveryIterator() async throws {
      let server = try serverThatBreaksOff()
      let (bytes, _) = try await session.bytes(from: server.url())
      let first = await collect(bytes)
      #expect(first.values == Array("par".utf8))
      let failure = try #require(first.error as? URLError)
      for _ in 0..<2 { #expect((await collect(bytes).error as? URLError)?.code == failure.code) }
    }

    @Test func cancellingAWholeAnswerChangesNothing() async throws {
      let server = try HTTPServer { _, connection in connection.respond(body: Data("body".utf8)) }
      let (bytes, _) = try await session.bytes(from: server.url())
      #expect(try await text(bytes) == "body")
      bytes.task.cancel()
      #expect(try await text(bytes) == "")
    }

    @Test func anAnswerThatTakesTooLongFails() async throws {
      let (closed, server) = try serverThatStops()
      var request = URLRequest(url: server.url())
      request.timeoutInterval = 1
      let (bytes, _) = try await session.bytes(for: request)
      #expect((await collect(bytes).error as? URLError)?.code == .timedOut)
      await closed.wait()
    }

    // MARK: Cancellation and lifetime

    @Test func cancellingBeforeTheResponseEndsTheTransfer() async throws {
      let (asked, closed) = (Signal(), Signal())
      let server = try HTTPServer { _, connection in
        asked.fire()
        connection.waitForClose()
        closed.fire()
      }
      let task = Task { try await session.bytes(from: server.url()) }
      await asked.wait()
      task.cancel()
      await #expect(throws: URLError(.cancelled)) { try await task.value }
      await closed.wait()
    }

    @Test func aCancelledTaskMakesNoRequest() async throws {
      let server = try HTTPServer { _, connection in connection.respond() }
      let proceed = Signal()
      let task = Task {
        await proceed.wait()
        _ = try await session.bytes(from: server.url("/cancelled"))
      }
      task.cancel()
      proceed.fire()
      await #expect(throws: URLError(.cancelled)) { try await task.value }
      _ = try await session.bytes(from: server.url("/next"))
      #expect(server.requests.map(\.path) == ["/next"])
    }

    @Test func cancellingAReaderEndsTheTransfer() async throws {
      let (closed, server) = try serverThatStops()
      let (bytes, _) = try await session.bytes(from: server.url())
      let begun = Signal()
      let task = Task {
        for try await _ in bytes { begun.fire() }
      }
      await begun.wait(3)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      await closed.wait()
      #expect((await collect(bytes).error as? URLError)?.code == .cancelled)
    }

    @Test func cancellingTheTransferFailsAfterWhatCame() async throws {
      let (closed, server) = try serverThatStops()
      let (bytes, _) = try await session.bytes(from: server.url())
      var iterator = bytes.makeAsyncIterator()
      #expect(try await iterator.next() == UInt8(ascii: "p"))
      bytes.task.cancel()
      await closed.wait()
      var error: (any Error)?
      do {
        while try await iterator.next() != nil {}
      } catch let failure {
        error = failure
      }
      #expect((error as? URLError)?.code == .cancelled)
    }

    @Test func droppingTheBytesEndsTheTransfer() async throws {
      let (closed, server) = try serverThatStops()
      do {
        let (bytes, _) = try await session.bytes(from: server.url())
        for try await _ in bytes { break }
        #expect(closed.count == 0)
      }
      await closed.wait()
      _ = try await session.bytes(from: server.url())
      await closed.wait(2)
    }

    @Test func everythingIsReleased() async throws {
      let counter = LifetimeCounter()
      let (_, stopping) = try serverThatStops()
      let answering = try HTTPServer { _, connection in connection.respond(body: Data("a".utf8)) }
      for server in [stopping, answering] {
        do {
          let guide = Guide()
          guide.token.value = counter.make()
          let (bytes, _) = try await session.bytes(from: server.url(), delegate: guide)
          for try await _ in bytes { break }
        }
        await until { counter.count == 0 }
      }
      let refused = try #require(URL(string: "http://127.0.0.1:\(HTTPServer.unusedPort())/"))
      for isCancelled in [false, true] {
        let guide = Guide()
        guide.token.value = counter.make()
        let task = Task {
          if isCancelled { await until { Task.isCancelled } }
          _ = try? await session.bytes(from: refused, delegate: guide)
        }
        if isCancelled { task.cancel() }
        await task.value
      }
      await until { counter.count == 0 }
    }

    @Test func cancellationsAndAnswersMayRace() async throws {
      let server = try HTTPServer { _, connection in connection.respond(body: Data("body".utf8)) }
      for round in 0..<40 {
        let task = Task {
          let (bytes, _) = try await session.bytes(from: server.url())
          return try await text(bytes)
        }
        if round % 2 == 0 { await until { server.requests.count > round / 2 } }
        task.cancel()
        switch await task.result {
        case .success(let text): #expect(text == "body")
        case .failure(let error): #expect(error is CancellationError || (error as? URLError)?.code == .cancelled)
        }
      }
    }

    // MARK: A consumer that takes its time

    @Test func whatIsNotTakenIsKeptAndNobodyWaitsForIt() async throws {
      let body = Data((0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) })
      let sent = Signal()
      let server = try HTTPServer { request, connection in
        connection.respond(body: request.path == "/other" ? Data("other".utf8) : body)
        sent.fire()
      }
      let (bytes, _) = try await session.bytes(from: server.url())
      await sent.wait()
      #expect(try await text(session.bytes(from: server.url("/other")).0) == "other")
      var received = Data(capacity: body.count)
      for try await byte in bytes { received.append(byte) }
      #expect(received == body)
    }

    @Test func suspendingStartsNothingAgain() async throws {
      let (proceed, server) = try serverThatPauses()
      let (bytes, _) = try await session.bytes(from: server.url())
      var iterator = bytes.makeAsyncIterator()
      for byte in "one".utf8 { #expect(try await iterator.next() == byte) }
      bytes.task.suspend()
      bytes.task.resume()
      proceed.open()
      for byte in "two".utf8 { #expect(try await iterator.next() == byte) }
      #expect(try await iterator.next() == nil)
      #expect(server.requests.count == 1)
    }
  }
#endif
