import AsyncOperators
import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

/// The examples of *Errors across the bridge*, as written there; what they print is compared with what they say.
@Suite struct ErrorsAcrossTheBridgeExamplesTests {
  private let print = ExampleOutput()

  enum NetworkError: Error { case offline, timedOut }

  private static func load(_ number: Int) async throws(NetworkError) -> String {
    if number == 2 { throw .offline }
    return "page \(number)"
  }

  // MARK: From a publisher to a loop

  @Test func publisherToLoop() async {
    let pages = PassthroughSubject<String, NetworkError>()
    let stream = pages.asyncStream()
    pages.send("page 1")
    pages.send(completion: .failure(.offline))

    do {
      for try await page in stream { print(page) }
    } catch {
      switch error {
      case .offline: print("offline")
      case .timedOut: print("timed out")
      }
    }
    #expect(print.line == "page 1, offline")
    var iterator = stream.makeAsyncIterator()
    let after: Void? = try? await #expect(iterator.next() == nil)
    #expect(after != nil)
  }

  @Test func publisherThatCannotFail() async {
    let pages = PassthroughSubject<String, NetworkError>()
    let stream =
      pages
      .catch { _ in Just("cached page") }
      .asyncStream()
    pages.send(completion: .failure(.offline))

    for await page in stream { print(page) }
    #expect(print.line == "cached page")
  }

  // MARK: From a sequence to a publisher

  @Test func sequenceToPublisher() async {
    let pages = AsyncThrowingStream<String, any Error> { continuation in
      continuation.yield("page 1")
      continuation.finish(throwing: NetworkError.offline)
    }
    let cancellable = pages.publisher
      .mapError { $0 as? NetworkError ?? .timedOut }
      .sink {
        print($0)
      } receiveValue: {
        print($0)
      }
    await until { print.lines == ["page 1", "\(Subscribers.Completion<NetworkError>.failure(.offline))"] }
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Async work in a pipeline

  @Test func failureOfATask() async {
    @Sendable func load(_ number: Int) async throws(NetworkError) -> String { try await Self.load(number) }
    let pages = (1...3).publisher
      .task(maxPublishers: .max(1)) { number throws(NetworkError) in try await load(number) }

    do {
      for try await page in pages.asyncValues { print(page) }
    } catch {
      print(error == .offline)
    }
    #expect(print.line == "page 1, true")
  }

  /// The rows of the table of closures.
  @Test func failuresOfClosures() {
    enum OtherError: Error { case other }
    let failing = Fail<Int, NetworkError>(error: .offline)
    let unfailing = Just(1)

    let kept = failing.task { $0 }
    let same = failing.task { number throws(NetworkError) in try await Self.load(number) }
    let own = unfailing.task { number throws(NetworkError) in try await Self.load(number) }
    let another = failing.task { (_: Int) throws(OtherError) -> Int in throw .other }
    let unstated = unfailing.task { number in try await Self.load(number) }

    func failure<P: Publisher>(of publisher: P) -> ObjectIdentifier { ObjectIdentifier(P.Failure.self) }
    #expect(failure(of: kept) == ObjectIdentifier(NetworkError.self))
    #expect(failure(of: same) == ObjectIdentifier(NetworkError.self))
    #expect(failure(of: own) == ObjectIdentifier(NetworkError.self))
    #expect(failure(of: another) == ObjectIdentifier((any Error).self))
    #expect(failure(of: unstated) == ObjectIdentifier((any Error).self))
  }

  @Test func failureOfOneValue() async {
    @Sendable func load(_ number: Int) async throws(NetworkError) -> String { try await Self.load(number) }
    let pages = (1...3).publisher
      .task(maxPublishers: .max(1)) { number in
        do {
          return try await load(number)
        } catch {
          return "no page \(number)"
        }
      }

    for await page in pages.asyncValues { print(page) }
    #expect(print.line == "page 1, no page 2, page 3")
  }

  // MARK: Cancellation

  @Test func cancelledLoop() async {
    let subject = PassthroughSubject<Int, Never>()
    let stream = subject.asyncStream()
    let task = Task {
      for await number in stream { print(number) }
      try Task.checkCancellation()
      print("finished")
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(print.lines == [])
  }

  @Test func cancelledSender() async {
    let channel = AsyncChannel<Int, Never>()
    let sender = Task { try await channel.send(1) }
    sender.cancel()

    do {
      try await sender.value
    } catch {
      print(error is CancellationError)
    }

    channel.send(completion: .finished)
    do {
      try await channel.send(2)
    } catch {
      print(error)
    }
    #expect(print.line == "true, finished")
  }

  @Test func cancellationErrorOfTheSequenceItself() async {
    let numbers = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: CancellationError()) }
    let completion = await withCheckedContinuation { continuation in
      numbers.publisher.subscribe(
        Subscribers.Sink { completion in
          if case .failure(let error) = completion {
            continuation.resume(returning: error is CancellationError)
          } else {
            continuation.resume(returning: false)
          }
        } receiveValue: { _ in
        })
    }
    #expect(completion)
  }

  // MARK: Trying again

  @Test func retriedPublisher() async throws {
    let attempts = Shared(0)
    @Sendable func load() async throws(NetworkError) -> String {
      if attempts.update({
        $0 += 1; return $0
      }) < 3 {
        throw .offline
      }
      return "page"
    }

    let page = Deferred { () async throws(NetworkError) in try await load() }.retry(2)
    print(try await page.firstValue() ?? "no page")
    #expect(print.line == "page")
    #expect(attempts.value == 3)
  }

  @Test func retriedSequence() throws {
    let timeline = TestTimeline()
    let clock = timeline.clock
    let attempts = Shared(0)
    @Sendable func load() async throws(NetworkError) -> String {
      if attempts.update({
        $0 += 1; return $0
      }) < 3 {
        throw .offline
      }
      return "page"
    }

    let pages = [1].async
      .map { (_: Int) async throws(NetworkError) in try await load() }
      .retry(5, backoff: .exponential(from: .seconds(1), factor: 2, upTo: .seconds(30)), clock: clock)

    try timeline.run { [print] in
      for try await page in pages { print(page) }
    }
    #expect(print.line == "page")
    #expect(timeline.now == 3)
  }

  // MARK: Time limits

  @Test func publisherThatIsTooLate() throws {
    let timeline = TestTimeline()
    let pages = PassthroughSubject<String, NetworkError>()
    let scheduler = timeline.scheduler

    let inTime = pages.timeout(.seconds(5), scheduler: scheduler) { .timedOut }
    try timeline.expect(inTime, toEmit: "-----#", error: .timedOut)
  }

  @Test func sequenceThatIsTooLate() throws {
    let timeline = TestTimeline()
    let pages = try timeline.sequence("-a", values: ["a": "page"])
    let clock = timeline.clock

    let inTime = pages.timeout(for: .seconds(5), clock: clock)

    try timeline.run { [print] in
      do {
        for try await page in inTime { print(page) }
      } catch {
        print(error)
      }
    }
    #expect(print.lines.first == "page")
    #expect(timeline.now == 6)
  }

  // MARK: Several inputs

  @Test func failuresOfSeveralPublishers() async {
    let pages = PassthroughSubject<String, NetworkError>()
    let titles = ["title"].publisher

    let both = pages.merge(with: titles.setFailureType(to: NetworkError.self))
    let stream = both.asyncStream()
    pages.send(completion: .failure(.offline))
    await #expect(throws: NetworkError.offline) {
      for try await text in stream { print(text) }
    }
    #expect(print.line == "title")
  }

  @Test func failuresOfSeveralSequences() async {
    let subject = PassthroughSubject<String, NetworkError>()
    let pages = subject.asyncStream()
    let titles = ["title"].async
    subject.send(completion: .failure(.offline))

    do {
      for try await text in merge(pages, titles) { print(text) }
    } catch {
      print(error == .offline)
    }
    #expect(print.lines.last == "true")
  }
}
