#if INTERFLOW_FOUNDATION_NETWORKING
  import Foundation
  import Interflow
  import InterflowTestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// What a cancelled reader does to the transfer, and to those who read after it.
  @Suite("URLSession.bytes, cancelled readers")
  struct URLSessionBytesCancellationTests {
    private let session = URLSession(configuration: .ephemeral)

    private final class EndObserver: NSObject, URLSessionTaskDelegate {
      let ended = Signal()

      func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError _: (any Error)?) { ended.fire() }
    }

    @Test func cancellingABusyReaderEndsTheTransfer() async throws {
      let closed = Signal()
      let server = try HTTPServer { _, connection in
        connection.sendHead(length: 100)
        connection.send(Data("par".utf8))
        connection.waitForClose()
        closed.fire()
      }
      let (bytes, _) = try await session.bytes(from: server.url())
      let task = Task {
        for try await _ in bytes { withUnsafeCurrentTask { $0?.cancel() } }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      await closed.wait()
      #expect((await collect(bytes).error as? URLError)?.code == .cancelled)
    }

    /// The reader is cancelled after it has been given a piece, and before it runs, while the last piece is buffered.
    @Test func aBodyCutOffByACancellationNeverLooksWhole() async throws {
      let (proceed, observer, steps) = (Latch(), EndObserver(), StepExecutor())
      let server = try HTTPServer { _, connection in
        connection.sendHead(length: 6)
        proceed.wait()
        connection.send(Data("one".utf8))
        proceed.wait()
        connection.send(Data("two".utf8))
      }
      let (bytes, _) = try await session.bytes(from: server.url(), delegate: observer)
      let task = Task(executorPreference: steps) { await collect(bytes).error }
      onOtherThread { steps.runUntilIdle() }
      proceed.open()
      await until { steps.readyCount > 0 }
      proceed.open()
      await observer.ended.wait()
      task.cancel()
      onOtherThread { steps.runUntilIdle() }
      #expect(await task.value is CancellationError)
      let rest = await collect(bytes)
      #expect(rest.values == [])
      #expect((rest.error as? URLError)?.code == .cancelled)
    }

    @Test func cancellingAfterTheEndLeavesTheBodyWhole() async throws {
      let server = try HTTPServer { _, connection in connection.respond(body: Data("body".utf8)) }
      let (bytes, _) = try await session.bytes(from: server.url())
      #expect(await collect(bytes).values == Array("body".utf8))
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await collect(bytes).error
      }
      #expect(await task.value is CancellationError)
      #expect(await collect(bytes).error == nil)
    }
  }
#endif
