import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import InterflowTracing
import Testing

@Suite struct TracedSequenceTests {
  private let recorder = TraceRecorder()

  init() { recorder.start() }

  @Test func elementsPassAndAreRecorded() async {
    var elements: [Int] = []
    for await element in stream([1, 2]).traced("numbers", recorder: recorder) { elements.append(element) }
    #expect(elements == [1, 2])
    #expect(
      recorder.kinds("numbers") == [
        .subscribed, .requested(1), .value("1", number: 1), .requested(1), .value("2", number: 2), .requested(1),
        .finished,
      ])
  }

  @Test func failuresKeepTheirType() async {
    enum Failure: Error { case offline }
    let sequence = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: Failure.offline) }
    do {
      for try await _ in sequence.traced("numbers", recorder: recorder) {}
      Issue.record("no error")
    } catch { #expect(error is Failure) }
    #expect(recorder.kinds("numbers").last == .failed("offline"))
    let never: TracedSequence<AsyncStream<Int>>.Failure.Type = Never.self
    #expect(never == Never.self)
  }

  @Test func aBreakIsSeenAsARelease() async {
    for await _ in stream([1, 2]).traced("numbers", recorder: recorder) { break }
    #expect(recorder.recording().findings.map(\.kind) == [.released])
  }

  @Test func theTimeOfTheCancellationIsRecorded() async {
    let (sequence, continuation) = AsyncStream.makeStream(of: Int.self)
    let traced = sequence.traced("numbers", recorder: recorder)
    let (isAsked, asked) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      asked.finish()
      for await _ in traced {}
    }
    for await _ in isAsked {}
    task.cancel()
    await task.value
    #expect(recorder.kinds("numbers").contains(.cancelled))
    #expect(!recorder.recording().findings.contains { $0.kind == .isLive })
    continuation.finish()
  }

  @Test func anErrorAfterTheCancellationIsNoFailure() async {
    let traced = AsyncThrowingStream<Int, any Error> {
      try await Task.sleep(for: .seconds(3_600))
      return 1
    }.traced("sleeping", recorder: recorder)
    let task = Task { for try await _ in traced {} }
    task.cancel()
    _ = await task.result
    #expect(!recorder.recording().findings.contains { $0.kind == .failed })
  }

  @Test func anElementAfterTheCancellationIsFound() async {
    // It ignores the cancellation.
    let (isAsked, asked) = AsyncStream.makeStream(of: Void.self)
    let (mayGoOn, goOn) = AsyncStream.makeStream(of: Void.self)
    let deaf = AsyncStream<Int> {
      asked.finish()
      await Task { for await _ in mayGoOn {} }.value
      return 1
    }
    let task = Task { [recorder] in
      var iterator = deaf.traced("deaf", recorder: recorder) { "\($0)" }.makeAsyncIterator()
      return await iterator.next()
    }
    for await _ in isAsked {}
    task.cancel()
    goOn.finish()
    #expect(await task.value == 1)
    let finding = recorder.recording().findings.first { $0.kind == .outlivesCancellation }
    #expect(finding?.valueCount == 1)
    #expect(finding?.lane == "deaf")
  }

  private enum Offline: Error { case now }

  /// Waits for an element, whose wait has begun when this returns, with a recorder that is on or off.
  private func wait(
    _ recorder: TraceRecorder, render: @escaping @Sendable (Int) -> String = { "\($0)" },
    for result: @escaping @Sendable () throws -> Int?
  ) async -> (task: Task<Int?, any Error>, goOn: AsyncStream<Void>.Continuation) {
    let (isAsked, asked) = AsyncStream.makeStream(of: Void.self)
    let (mayGoOn, goOn) = AsyncStream.makeStream(of: Void.self)
    let sequence = AsyncThrowingStream<Int, any Error> {
      asked.finish()
      for await _ in mayGoOn {}
      return try result()
    }
    let task = Task {
      var iterator = sequence.traced("numbers", recorder: recorder, render: render).makeAsyncIterator()
      return try await iterator.next()
    }
    for await _ in isAsked {}
    return (task, goOn)
  }

  @Test func anElementThatWasWaitedForBeforeTheRecordingIsRecorded() async throws {
    let recorder = TraceRecorder()
    let (task, goOn) = await wait(recorder) { 7 }
    recorder.start()
    goOn.finish()
    #expect(try await task.value == 7)
    #expect(recorder.kinds("numbers").prefix(2) == [.joined, .value("7", number: 1)])
  }

  @Test func aFailureThatWasWaitedForBeforeTheRecordingIsRecorded() async {
    let recorder = TraceRecorder()
    let (task, goOn) = await wait(recorder) { throw Offline.now }
    recorder.start()
    goOn.finish()
    await #expect(throws: Offline.self) { try await task.value }
    #expect(recorder.kinds("numbers") == [.joined, .failed("now")])
    #expect(recorder.recording().findings.map(\.kind) == [.failed])
  }

  @Test func aFailureWhileTheRecorderIsOffIsAnEnd() async {
    let recorder = TraceRecorder()
    let (mayGoOn, goOn) = AsyncStream.makeStream(of: Void.self)
    let (hasFailed, failed) = AsyncStream.makeStream(of: Void.self)
    let (mayEnd, end) = AsyncStream.makeStream(of: Void.self)
    recorder.start()
    let first = Shared(true)
    let sequence = AsyncThrowingStream<Int, any Error> {
      if first.update({ isFirst in
        defer { isFirst = false }
        return isFirst
      }) {
        return 1
      }
      for await _ in mayGoOn {}
      throw Offline.now
    }
    let task = Task {
      var iterator = sequence.traced("numbers", recorder: recorder).makeAsyncIterator()
      _ = try await iterator.next()
      recorder.stop()
      do { _ = try await iterator.next() } catch {}
      failed.finish()
      for await _ in mayEnd {}
    }
    goOn.finish()
    for await _ in hasFailed {}
    recorder.start()
    end.finish()
    _ = await task.result
    // The iterator is released after its failure.
    #expect(recorder.recording().findings.isEmpty)
  }

  @Test func nothingIsRenderedOnceTheRecorderIsOff() async throws {
    let recorder = TraceRecorder()
    recorder.start()
    let (task, goOn) = await wait(
      recorder,
      render: { _ in
        Issue.record("called")
        return ""
      }, for: { 7 })
    recorder.stop()
    goOn.finish()
    #expect(try await task.value == 7)
    #expect(recorder.kinds("numbers") == [.subscribed, .requested(1)])
  }

  @Test func aCancellationBetweenTwoElementsIsRecordedWithTheNextWait() async {
    let (sequence, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    let (hasOne, gotOne) = AsyncStream.makeStream(of: Void.self)
    let (mayGoOn, goOn) = AsyncStream.makeStream(of: Void.self)
    let task = Task { [recorder] in
      var iterator = sequence.traced("numbers", recorder: recorder).makeAsyncIterator()
      _ = await iterator.next()
      gotOne.finish()
      await Task { for await _ in mayGoOn {} }.value
      return await iterator.next()
    }
    for await _ in hasOne {}
    task.cancel()
    #expect(!recorder.kinds("numbers").contains(.cancelled))
    goOn.finish()
    #expect(await task.value == nil)
    #expect(recorder.kinds("numbers").contains(.cancelled))
  }

  @Test func itRunsOnTheActorOfTheConsumer() async {
    await MainActor.run {}
    await consumeOnTheMainActor()
  }

  @MainActor private func consumeOnTheMainActor() async {
    struct Watched: AsyncSequence, AsyncIteratorProtocol {
      func makeAsyncIterator() -> Watched { self }
      mutating func next() async -> Int? { nil }
      mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
        #expect(actor === MainActor.shared)
        return nil
      }
    }
    var iterator = Watched().traced("watched", recorder: recorder).makeAsyncIterator()
    _ = await iterator.next(isolation: MainActor.shared)
    #expect(recorder.kinds("watched").last == .finished)
  }

  private func stream(_ elements: [Int]) -> AsyncStream<Int> {
    AsyncStream { continuation in
      for element in elements { continuation.yield(element) }
      continuation.finish()
    }
  }
}
