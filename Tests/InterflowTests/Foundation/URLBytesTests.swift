#if INTERFLOW_FOUNDATION_NETWORKING
  import Foundation
  import Interflow
  import InterflowTestSupport
  import Testing

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  @Suite("URL.resourceBytes and URL.lines")
  struct URLBytesTests {
    // MARK: Files

    @Test func theLinesOfAFileCome() async throws {
      let file = try TestFile("one\n\ntwo\r\nthree".utf8)
      #expect(await collect(file.url.lines).values == ["one", "two", "three"])
      #expect(await collect(file.url.resourceBytes.lines(keepingEmpty: true)).values == ["one", "", "two", "three"])
    }

    @Test func aFileOfManyReadsComesWhole() async throws {
      let lines = (0..<60_000).map { "line \($0) of a file that is read in pieces: ü" }
      let file = try TestFile(lines.joined(separator: "\n").utf8)
      #expect(await collect(file.url.lines).values == lines)
      var count = 0
      for try await byte in file.url.resourceBytes where byte == UInt8(ascii: "\n") { count += 1 }
      #expect(count == 59_999)
    }

    @Test(arguments: [0, 1, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 80 * 1024])
    func filesOfEverySizeEndWhereTheyEnd(_ size: Int) async throws {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      let file = try TestFile(bytes)
      #expect(await collect(file.url.resourceBytes).values == bytes)
    }

    @Test func eachIteratorBeginsAtTheBeginning() async throws {
      let bytes = try TestFile("abc".utf8)
      var first = bytes.url.resourceBytes.makeAsyncIterator()
      var second = bytes.url.resourceBytes.makeAsyncIterator()
      #expect(try await first.next() == UInt8(ascii: "a"))
      #expect(try await second.next() == UInt8(ascii: "a"))
      #expect(try await first.next() == UInt8(ascii: "b"))
    }

    @Test func nullDeviceIsEmpty() async {
      let (values, error) = await collect(URL(fileURLWithPath: "/dev/null").lines)
      #expect(values.isEmpty && error == nil)
    }

    @Test func aNamedPipeIsReadWhenItsWriterHasCome() async throws {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("interflow-\(UUID().uuidString)")
      #expect(mkfifo(path.path, 0o600) == 0)
      defer { try? FileManager.default.removeItem(at: path) }
      let isReading = Signal()
      let cancelled = Task {
        isReading.fire()
        return await collect(path.lines).error
      }
      await isReading.wait()
      cancelled.cancel()
      #expect(await cancelled.value is CancellationError)

      let task = Task { await collect(path.lines).values }
      // Opening waits for the reader.
      await withCheckedContinuation { continuation in
        Thread {
          let writer = FileHandle(forWritingAtPath: path.path)
          try? writer?.write(contentsOf: Data("one\ntwo".utf8))
          try? writer?.close()
          continuation.resume()
        }.start()
      }
      #expect(await task.value == ["one", "two"])
    }

    // MARK: Failures

    @Test func aFileThatIsNotThereFails() async throws {
      let url = URL(fileURLWithPath: "/nonexistent/file")
      var iterator = url.resourceBytes.makeAsyncIterator()
      let error = await #expect(throws: CocoaError.self) { try await iterator.next() }
      #expect(error?.code == .fileReadNoSuchFile)
      #expect(error?.filePath == "/nonexistent/file")
      #expect((error?.underlying as? NSError)?.code == Int(ENOENT))
      #expect(try await iterator.next() == nil)
    }

    @Test func aFolderFails() async throws {
      let error = await collect(URL(fileURLWithPath: "/tmp").lines).error as? CocoaError
      #expect(error?.code == .fileReadUnknown)
      #expect((error?.underlying as? NSError)?.code == Int(EISDIR))
    }

    // MARK: Cancellation and lifetime

    @Test func theFileIsOpenOnlyWhileItIsRead() async throws {
      let file = try TestFile([UInt8](repeating: 10, count: 100_000))
      let sequence = file.url.resourceBytes
      do {
        var iterator = sequence.makeAsyncIterator()
        #expect(try file.openDescriptors == 0)
        _ = try await iterator.next()
        #expect(try file.openDescriptors == 1)
        while try await iterator.next() != nil {}
        // At the end it is closed, though the iterator is still there. The reading thread may be on its way out.
        await until { (try? file.openDescriptors) == 0 }
        _ = try await iterator.next()
      }
      for try await _ in file.url.lines(keepingEmpty: true) { break }
      await until { (try? file.openDescriptors) == 0 }
    }

    @Test func cancellingClosesTheFile() async throws {
      let file = try TestFile([UInt8](repeating: 10, count: 100_000))
      let (begun, proceed) = (Signal(), Signal())
      let task = Task {
        var iterator = file.url.resourceBytes.makeAsyncIterator()
        _ = try await iterator.next()
        begun.fire()
        await proceed.wait()
        await #expect(throws: CancellationError.self) {
          while try await iterator.next() != nil {}
        }
        await until { (try? file.openDescriptors) == 0 }
        #expect(try await iterator.next() == nil)
      }
      await begun.wait()
      #expect(try file.openDescriptors == 1)
      task.cancel()
      proceed.fire()
      try await task.value
    }

    // MARK: Remote resources

    @Test func theLinesOfARemoteResourceCome() async throws {
      let server = try HTTPServer { _, connection in connection.respond(body: Data("one\r\n\r\ntwo\n".utf8)) }
      #expect(await collect(server.url().lines).values == ["one", "two"])
      #expect(await collect(server.url().resourceBytes).values.count == 11)
      #expect(server.requests.count == 2)
    }

    @Test func aRemoteResourceThatCannotBeHadFails() async throws {
      let url = try #require(URL(string: "http://127.0.0.1:\(HTTPServer.unusedPort())/"))
      #expect((await collect(url.lines).error as? URLError)?.code == .cannotConnectToHost)
      let unknown = try #require(URL(string: "unheard-of://127.0.0.1/"))
      #expect((await collect(unknown.lines).error as? URLError)?.code == .unsupportedURL)
    }

    @Test func droppingAnIteratorEndsItsTransfer() async throws {
      let closed = Signal()
      let server = try HTTPServer { _, connection in
        connection.sendHead(length: 100)
        connection.send(Data("one\n".utf8))
        connection.waitForClose()
        closed.fire()
      }
      for try await line in server.url().lines {
        #expect(line == "one")
        break
      }
      await closed.wait()
    }

    @Test func cancellingATaskEndsItsTransfer() async throws {
      let (asked, closed) = (Signal(), Signal())
      let server = try HTTPServer { request, connection in
        if request.path == "/body" {
          connection.sendHead(length: 100)
          connection.send(Data("one\n".utf8))
        }
        asked.fire()
        connection.waitForClose()
        closed.fire()
      }
      for (count, path) in ["/body", "/head"].enumerated() {
        let task = Task { await collect(server.url(path).lines).error }
        await asked.wait(count + 1)
        task.cancel()
        let error = await task.value
        #expect(error is CancellationError)
        await closed.wait(count + 1)
      }
    }
  }

  extension URL {
    fileprivate func lines(keepingEmpty: Bool) -> AsyncLines<AsyncBytes> {
      resourceBytes.lines(keepingEmpty: keepingEmpty)
    }
  }
#endif
