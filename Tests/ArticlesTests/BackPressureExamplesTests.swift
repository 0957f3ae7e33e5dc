import Interflow
import InterflowTestSupport
import InterflowTesting
import Synchronization
import Testing

/// The examples of *Back-pressure, demonstrated*, as written there; what they print is compared with what the page says.
// swift-format-ignore
@Suite struct BackPressureExamplesTests {
  private let print = ExampleOutput()

  @Test func aLoopRequestsOneValueAtATime() async {
    let numbers = (1...1_000_000).publisher
      .handleEvents(receiveCancel: { print("cancels") }, receiveRequest: { print("requests", $0) })
    for await number in numbers.asyncValues {
      print("handles", number)
      if number == 3 { break }
    }
    // requests max(1), handles 1, requests max(1), handles 2, requests max(1), handles 3, cancels
    #expect(
      print.lines == [
        "requests max(1)", "handles 1", "requests max(1)", "handles 2", "requests max(1)", "handles 3", "cancels"
      ])
  }

  @Test func aLoopWithPrefetch() async {
    let numbers = (1...1_000_000).publisher
      .handleEvents(receiveRequest: { print("requests", $0) })
    for await number in numbers.asyncValues(prefetch: 2) {
      print("handles", number)
      if number == 3 { break }
    }
    // requests max(2), handles 1, handles 2, requests max(2), handles 3
    #expect(print.lines == ["requests max(2)", "handles 1", "handles 2", "requests max(2)", "handles 3"])
  }

  @Test func memoryIsBounded() async {
    final class Pages {
      var alive = 0
      var most = 0
    }

    final class Page {
      private let pages: Pages

      init(in pages: Pages) {
        self.pages = pages
        pages.alive += 1
        pages.most = max(pages.most, pages.alive)
      }

      deinit { pages.alive -= 1 }
    }

    let pages = Pages()
    let source = (1...10_000).lazy.map { _ in Page(in: pages) }.publisher
    for await page in source.asyncValues(prefetch: 16) {
      withExtendedLifetime(page) {}
    }
    print(pages.most <= 17, pages.alive)  // true 0
    #expect(print.lines == ["true 0"])
  }

  @Test func aSubjectDoesNotWait() async {
    let ticks = PassthroughSubject<Int, Never>()
    let all = ticks.asyncStream()
    let oldest = ticks.asyncStream(bufferingPolicy: .bufferingOldest(3))
    let newest = ticks.asyncStream(bufferingPolicy: .bufferingNewest(3))
    for tick in 1...1000 { ticks.send(tick) }
    ticks.send(completion: .finished)

    var count = 0
    for await _ in all { count += 1 }
    print(count, all.droppedCount)  // 1000 0
    for await tick in oldest { print(tick) }  // 1, 2, 3
    for await tick in newest { print(tick) }  // 998, 999, 1000
    print(oldest.droppedCount, newest.droppedCount)  // 997 997
    #expect(print.lines == ["1000 0", "1", "2", "3", "998", "999", "1000", "997 997"])
  }

  @Test func aBufferInThePipeline() {
    let ticks = PassthroughSubject<Int, Never>()
    let sink = Subscribers.OneByOneSink<Int, Never> { _ in } receiveValue: { print($0) }
    ticks
      .buffer(size: 3, prefetch: .byRequest, whenFull: .dropOldest)
      .subscribe(sink)
    for tick in 1...1000 { ticks.send(tick) }  // 1
    for _ in 1...3 { sink.resume() }  // 998, 999, 1000
    #expect(print.lines == ["1", "998", "999", "1000"])
  }

  @Test func aBufferThatIsKeptFull() {
    let numbers = (1...1_000_000).publisher
      .handleEvents(receiveRequest: { print("requests", $0) })
    let sink = Subscribers.OneByOneSink<Int, Never> { _ in } receiveValue: { print("handles", $0) }
    numbers
      .buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest)
      .subscribe(sink)
    // requests max(3), handles 1, requests max(1)
    sink.resume()  // handles 2, requests max(1)
    #expect(print.lines == ["requests max(3)", "handles 1", "requests max(1)", "handles 2", "requests max(1)"])
  }

  @Test func aSenderThatWaits() throws {
    let timeline = TestTimeline()
    try timeline.run {
      let channel = AsyncChannel<Int, Never>()
      let producer = Task(executorPreference: timeline) {
        for number in 1...3 {
          try await channel.send(number)
          print("sent", number, "at", timeline.now)
        }
        channel.send(completion: .finished)
      }
      for await _ in channel.asyncValues {
        try await timeline.clock.sleep(for: .seconds(10))
      }
      try await producer.value
    }
    // sent 1 at 0 s, sent 2 at 10 s, sent 3 at 20 s
    #expect(print.lines == ["sent 1 at 0 s", "sent 2 at 10 s", "sent 3 at 20 s"])
  }

  @Test func asyncWorkAFewAtATime() throws {
    let timeline = TestTimeline()
    let most = try timeline.run {
      let running = Mutex((now: 0, most: 0))
      let work = (1...4).publisher
        .handleEvents(receiveRequest: { print("requests", $0) })
        .task(maxPublishers: .max(2)) { number in
          running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
          try? await timeline.clock.sleep(for: .seconds(1))
          running.withLock { $0.now -= 1 }
          return number
        }
      for await number in work.asyncValues(prefetch: 4) { print(number, "at", timeline.now) }
      return running.withLock { $0.most }
    }
    // requests max(2), requests max(1), requests max(1), 1 at 1 s, 2 at 1 s, 3 at 2 s, 4 at 2 s
    print(most)  // 2
    #expect(
      print.lines == [
        "requests max(2)", "requests max(1)", "requests max(1)", "1 at 1 s", "2 at 1 s", "3 at 2 s", "4 at 2 s", "2"
      ])
  }

  @Test func innerPublishersAFewAtATime() {
    let pages = [1, 2, 3].map { _ in PassthroughSubject<String, Never>() }
    let cancellable = pages.indices.publisher
      .handleEvents(receiveOutput: { print("opens", $0) }, receiveRequest: { print("requests", $0) })
      .flatMap(maxPublishers: .max(2)) { pages[$0] }
      .sink { print($0) }
    pages[0].send("a")
    pages[0].send(completion: .finished)
    // requests max(2), opens 0, opens 1, a, requests max(1), opens 2
    withExtendedLifetime(cancellable) {}
    #expect(print.lines == ["requests max(2)", "opens 0", "opens 1", "a", "requests max(1)", "opens 2"])
  }
}
