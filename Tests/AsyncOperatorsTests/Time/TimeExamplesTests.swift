import AsyncOperators
import InterflowTestSupport
import Testing

/// The examples of the documentation, as written there; what they print is compared with what they say.
@Suite struct TimeExamplesTests {
  private let print = ExampleOutput()

  @Test func debounce() async throws {
    let searches = AsyncStream<String> {
      $0.yield("s"); $0.yield("swift"); $0.finish()
    }
    for await search in searches.debounce(for: .milliseconds(300)) {
      print(search)
    }
    // On a machine that is busy for so long, the first is delivered, too.
    #expect(print.lines.last == "swift")
  }

  @Test func delay() async throws {
    let lines = AsyncStream<String> {
      $0.yield("a"); $0.finish()
    }
    for await line in lines.delay(for: .seconds(1), clock: .continuous) {
      print(line)
    }
    #expect(print.line == "a")
  }

  @Test func measureInterval() async throws {
    let beats = AsyncStream<Void> {
      $0.yield(); $0.yield(); $0.finish()
    }
    for await interval in beats.measureInterval(using: .continuous) {
      print(interval)
    }
    #expect(print.lines.count == 2)
  }

  @Test func throttle() async throws {
    let positions = AsyncStream<Int> {
      $0.yield(1); $0.yield(2); $0.finish()
    }
    for await position in positions.throttle(for: .milliseconds(100)) {
      print(position)
    }
    #expect(print.lines.first == "1")
  }

  @Test func timeout() async throws {
    let replies = AsyncStream<String> {
      $0.yield("pong"); $0.finish()
    }
    do {
      for try await reply in replies.timeout(for: .seconds(5), clock: .continuous) {
        print(reply)
      }
    } catch {
      print("there was no reply: \(error)")
    }
    // A machine that is busy for so long gives no reply either.
    #expect(print.line == "pong" || print.lines.last == "there was no reply: AsyncTimeoutError()")
  }
}
