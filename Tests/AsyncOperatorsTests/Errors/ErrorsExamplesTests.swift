import AsyncOperators
import InterflowTestSupport
import Testing

/// The examples of the documentation, as written there; what they print is compared with what they say.
@Suite struct ErrorsExamplesTests {
  private let print = ExampleOutput()

  private let source = ready(["a"], failure: TestError("end"))
  private let online = ready(["new"], failure: Offline(code: .notConnectedToInternet))
  private let stored = ready(["old"])
  private let store = Store()
  private let network = Network()
  private let bundledFile = File()

  private struct Offline: Error {
    enum Code { case notConnectedToInternet, other }
    let code: Code
  }

  private struct Store: Sendable {
    func pictures() async -> ReadySource<String, Never> { ready(["old"]) }
    func load() async throws -> ReadySource<String, Never> { ready(["old"]) }
  }

  private struct Network: Sendable {
    func isAvailable() async {}
  }

  private struct File: Sendable {
    var lines: ReadySource<String, TestError> { ReadySource(elements: { $0 < 1 ? "line" : nil }) }
  }

  @Test func assertNoFailure() async throws {
    for await line in bundledFile.lines.assertNoFailure("the file is part of the program") {
      print(line)
    }
    #expect(print.line == "line")
  }

  @Test func catchError() async throws {
    let stored = stored
    let pictures = online.catch { error in stored }
    #expect(await collect(pictures).values == ["new", "old"])
  }

  @Test func catchAsync() async throws {
    let store = store
    let pictures = online.catch { error in await store.pictures() }
    #expect(await collect(pictures).values == ["new", "old"])
  }

  @Test func tryCatch() async throws {
    let stored = stored
    let pictures = online.tryCatch { error in
      guard error.code == .notConnectedToInternet else { throw error }
      return stored
    }
    #expect(await collect(pictures).values == ["new", "old"])
  }

  @Test func tryCatchAsync() async throws {
    let store = store
    let pictures = online.tryCatch { error in try await store.load() }
    #expect(await collect(pictures).values == ["new", "old"])
  }

  @Test func dematerialize() async throws {
    let lines = source.materialize().dematerialize()
    #expect(await collect(lines).error == TestError("end"))
  }

  @Test func mapToResult() async throws {
    for await result in source.mapToResult() {
      switch result {
      case .success(let line): print(line)
      case .failure(let error): print("failed: \(error)")
      }
    }
    #expect(print.lines.count == 2)
    #expect(print.lines[1].hasPrefix("failed: "))
  }

  @Test func materialize() async throws {
    for await event in source.materialize() {
      switch event {
      case .element(let line): print(line)
      case .failure(let error): print("failed: \(error)")
      case .finished: print("finished")
      }
    }
    #expect(print.lines.count == 2)
    #expect(print.lines[1].hasPrefix("failed: "))
  }

  @Test func replaceError() async throws {
    for await line in source.replaceError(with: "connection lost") {
      print(line)
    }
    #expect(print.line == "a, connection lost")
  }

  @Test func retry() async throws {
    let pictures = online.retry(3)
    #expect(await collect(pictures).values.count == 4)
  }

  @Test func retryWithBackoff() async throws {
    let backoff = RetryBackoff.exponential(from: Duration.milliseconds(100), upTo: .seconds(10))
    let pictures = online.retry(5, backoff: backoff, clock: ContinuousClock())
    _ = pictures
  }

  @Test func retryOnTheContinuousClock() async throws {
    let pictures = online.retry(5, backoff: .constant(.seconds(1)))
    _ = pictures
  }

  @Test func retryWhen() async throws {
    let network = network
    let pictures = online.retryWhen { error, retry in
      guard error.code == .notConnectedToInternet, retry <= 10 else { return false }
      await network.isAvailable()
      return true
    }
    #expect(await collect(pictures).values.count == 11)
  }

  @Test func backoff() async throws {
    let backoff = RetryBackoff.exponential(from: Duration.milliseconds(100), upTo: .seconds(10)).jittered()
    #expect(backoff.delay(beforeRetry: 1) <= Duration.milliseconds(100))
  }
}
