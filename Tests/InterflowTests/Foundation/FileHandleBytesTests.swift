#if INTERFLOW_FOUNDATION
  import Foundation
  import Interflow
  import InterflowTestSupport
  import Testing

  @Suite("FileHandle.bytes")
  struct FileHandleBytesTests {
    // MARK: Values

    @Test func aSlowWriterIsWaitedFor() async throws {
      let pipe = TestPipe()
      var bytes = pipe.reader.bytes.makeAsyncIterator()
      for byte in UInt8.min...UInt8.max {
        try pipe.write([byte])
        #expect(try await bytes.next() == byte)
      }
      try pipe.closeWriter()
      #expect(try await bytes.next() == nil)
      #expect(try await bytes.next() == nil)
    }

    /// Here the reader waits before each byte is written, as far as that can be seen from outside.
    @Test func aReaderThatWaitsGetsWhatIsWrittenThen() async throws {
      let (pipe, received) = (TestPipe(), Signal())
      let reader = pipe.reader
      let task = Task {
        var sum = 0
        for try await byte in reader.bytes {
          sum += Int(byte)
          received.fire()
        }
        return sum
      }
      for count in 1...100 {
        for _ in 0..<count { await Task.yield() }
        try pipe.write([1])
        await received.wait(count)
      }
      try pipe.closeWriter()
      #expect(try await task.value == 100)
    }

    @Test func moreThanAPipeHoldsComesWhole() async throws {
      let pipe = TestPipe()
      let sent = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
      Thread {
        try? pipe.write(sent)
        try? pipe.closeWriter()
      }.start()
      var received: [UInt8] = []
      for try await byte in pipe.reader.bytes { received.append(byte) }
      #expect(received == sent)
    }

    @Test func aFileIsReadFromWhereTheHandleStands() async throws {
      let sent = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 17 ^ $0 >> 7) }
      let file = try TestFile(sent)
      let handle = try FileHandle(forReadingFrom: file.url)
      try handle.seek(toOffset: 1_000)
      var received: [UInt8] = []
      for try await byte in handle.bytes { received.append(byte) }
      #expect(received == Array(sent.dropFirst(1_000)))
      #expect(try handle.offset() == 700_001)
    }

    @Test func theHandleStaysOpen() async throws {
      let file = try TestFile("text".utf8)
      let handle = try FileHandle(forReadingFrom: file.url)
      for try await byte in handle.bytes {
        #expect(byte == UInt8(ascii: "t"))
        break
      }
      try handle.seek(toOffset: 0)
      #expect(try handle.readToEnd() == Data("text".utf8))
      #expect(try file.openDescriptors == 1)
    }

    @Test func theSequenceKeepsTheHandle() async throws {
      let file = try TestFile("text".utf8)
      let bytes = try FileHandle(forReadingFrom: file.url).bytes
      #expect(await collect(bytes.characters).values == ["t", "e", "x", "t"])
    }

    @Test func theNullDeviceIsEmpty() async throws {
      var iterator = FileHandle.nullDevice.bytes.makeAsyncIterator()
      #expect(try await iterator.next() == nil)
    }

    // MARK: Failures

    @Test func aPipeThatIsClosedBetweenTwoReadsFails() async throws {
      let pipe = TestPipe()
      try pipe.write("a\n".utf8)
      var lines = pipe.reader.bytes.lines.makeAsyncIterator()
      #expect(try await lines.next() == "a")
      try pipe.reader.close()
      let error = await #expect(throws: CocoaError.self) { try await lines.next() }
      #expect((error?.underlying as? NSError)?.code == 9)
    }

    @Test func aClosedHandleFails() async throws {
      let file = try TestFile("text".utf8)
      let handle = try FileHandle(forReadingFrom: file.url)
      let bytes = handle.bytes
      try handle.close()
      var iterator = bytes.makeAsyncIterator()
      let error = await #expect(throws: CocoaError.self) { try await iterator.next() }
      #expect(error?.code == .fileReadUnknown)
      #expect((error?.underlying as? NSError)?.code == 9)
      #expect(try await iterator.next() == nil)
    }

    // MARK: Threads

    /// Far more readers wait than there are threads for tasks; a single one that blocked its thread would keep the rest,
    /// and this test, from going on.
    @Test func readersThatWaitBlockNoTask() async throws {
      let pipes = (0..<64).map { _ in TestPipe() }
      let sums = try await withThrowingTaskGroup(of: Int.self) { group in
        for pipe in pipes {
          group.addTask {
            var sum = 0
            for try await byte in pipe.reader.bytes { sum += Int(byte) }
            return sum
          }
        }
        for round in 0..<3 {
          await withTaskGroup(of: Void.self) { others in
            for _ in 0..<8 { others.addTask { await Task.yield() } }
          }
          for (index, pipe) in pipes.enumerated() { try pipe.write([UInt8(index + round)]) }
        }
        for pipe in pipes { try pipe.closeWriter() }
        return try await group.reduce(into: 0) { $0 += $1 }
      }
      #expect(sums == (0..<64).reduce(0) { $0 + 3 * $1 + 3 })
    }

    /// Two that see the same bytes may not both read them: the second would block, and could not be cancelled.
    @Test func iteratorsOfOnePipeShareItsBytes() async throws {
      for _ in 0..<50 {
        let pipe = TestPipe()
        let tasks = (0..<4).map { _ in
          Task { try await pipe.reader.bytes.reduce(into: 0) { sum, byte in sum += Int(byte) } }
        }
        for _ in 0..<20 {
          try pipe.write([1, 1, 1])
          await Task.yield()
        }
        try pipe.closeWriter()
        var sum = 0
        for task in tasks { sum += try await task.value }
        #expect(sum == 60)
      }
    }

    #if os(Linux)
      @Test func aReadThatBlocksKeepsNoOtherPipeWaiting() async throws {
        let (socket, pipe) = (try ReluctantSocket(), TestPipe())
        try socket.write(1)
        let task = Task {
          var iterator = socket.reader.bytes.makeAsyncIterator()
          return try await iterator.next()
        }
        await until { socket.isEmpty }
        try pipe.write([7])
        var iterator = pipe.reader.bytes.makeAsyncIterator()
        #expect(try await iterator.next() == 7)
        try socket.write(2)
        #expect(try await task.value == 1)
      }
    #endif

    // MARK: Cancellation

    @Test func cancellingEndsAWait() async throws {
      for _ in 0..<50 {
        let (pipe, received) = (TestPipe(), Signal())
        let task = Task {
          var iterator = pipe.reader.bytes.makeAsyncIterator()
          while try await iterator.next() != nil { received.fire() }
        }
        try pipe.write([1])
        await received.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The pipe is as good as before.
        try pipe.write([2])
        var iterator = pipe.reader.bytes.makeAsyncIterator()
        #expect(try await iterator.next() == 2)
      }
    }

    #if os(Linux)
      @Test func cancellingEndsAReadThatBlocks() async throws {
        let socket = try ReluctantSocket()
        try socket.write(1)
        let task = Task {
          var iterator = socket.reader.bytes.makeAsyncIterator()
          return try await iterator.next()
        }
        await until { socket.isEmpty }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Lets the thread go that reads.
        try socket.write(2)
      }
    #endif

    @Test func aCancelledTaskReadsNothing() async throws {
      let pipe = TestPipe()
      let proceed = Signal()
      let task = Task { () async throws in
        await proceed.wait()
        var iterator = pipe.reader.bytes.makeAsyncIterator()
        let error = await #expect(throws: CancellationError.self) { try await iterator.next() }
        #expect(error != nil)
        // It is over: there is nothing to wait for.
        #expect(try await iterator.next() == nil)
      }
      task.cancel()
      proceed.fire()
      try await task.value
      try pipe.write([7])
      var iterator = pipe.reader.bytes.makeAsyncIterator()
      #expect(try await iterator.next() == 7)
    }

    @Test func cancellationsAndBytesMayRace() async throws {
      for round in 0..<200 {
        let pipe = TestPipe()
        let task = Task {
          var count = 0
          do {
            for try await _ in pipe.reader.bytes { count += 1 }
          } catch {
            #expect(error is CancellationError)
          }
          return count
        }
        if round % 3 == 0 { await Task.yield() }
        inParallel(2) { thread in
          if thread == 0 { task.cancel() } else { try? pipe.write([1]) }
        }
        #expect(await task.value <= 1)
      }
    }

    // MARK: Isolation

    @Test @MainActor func bytesAreTakenOnTheCallersActor() async throws {
      let file = try TestFile("text".utf8)
      var count = 0
      for try await _ in try FileHandle(forReadingFrom: file.url).bytes {
        MainActor.assertIsolated()
        count += 1
      }
      #expect(count == 4)
    }
  }

  extension CocoaError {
    /// What the system said.
    var underlying: (any Error)? { userInfo[NSUnderlyingErrorKey] as? any Error }
  }
#endif
