import Foundation
import Interflow
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of what runs async closures, as written there.
// swift-format-ignore
@Suite struct TasksExamplesTests {
  private let print = ExampleOutput()

  private let urls = [URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/bc"), URL(fileURLWithPath: "/def")]

  @Test func oneByOneSinkWithAnAsyncClosure() async {
    let downloaded = Signal()
    @Sendable func download(_ url: URL) async { downloaded.fire() }
    let sink = Subscribers.OneByOneSink<URL, Never> { _ in
    } receiveValue: { url in
      await download(url)
    }
    urls.publisher.subscribe(sink)
    await downloaded.wait(3)
  }

  @Test func oneByOneSinkThatIsResumed() {
    let lines = ["a", "b", "c"]
    let sink = Subscribers.OneByOneSink<String, Never> { _ in } receiveValue: { print($0) }
    lines.publisher.subscribe(sink)  // prints the first
    sink.resume()  // prints the second
    #expect(print.lines == ["a", "b"])
  }

  @Test func oneByOneSinkBehindABuffer() async {
    let handled = Signal()
    @Sendable func handle(_ event: Int) async { handled.fire() }
    let events = [1, 2, 3].publisher
    let cancellable = events
      .buffer(size: 10, prefetch: .keepFull, whenFull: .dropOldest)
      .oneByOneSink { print($0) } receiveValue: { event in await handle(event) }
    await until { print.lines == ["finished"] }
    #expect(handled.count == 3)
    withExtendedLifetime(cancellable) {}
  }

  @Test func concurrentMap() async {
    @Sendable func size(of url: URL) async -> Int { url.path.count }
    let cancellable = urls.publisher
      .concurrentMap(maxTasks: 4) { url in await size(of: url) }
      .sink { print($0) }  // the size of the first, then that of the second ...
    await until { print.lines == ["2", "3", "4"] }
    withExtendedLifetime(cancellable) {}
  }

  @Test func concurrentMapThatKeepsItsFailure() async {
    typealias NetworkError = TestError
    @Sendable func load(_ request: Int) async throws(NetworkError) -> String {
      if request == 2 { throw NetworkError("refused") }
      return "loaded"
    }
    let requests = [1, 2].publisher.setFailureType(to: NetworkError.self)
    let cancellable = requests
      .concurrentMap(maxTasks: 4) { request throws(NetworkError) in try await load(request) }
      .sink { print($0) } receiveValue: { print($0) }
    await until { print.lines == ["loaded", "\(Subscribers.Completion.failure(NetworkError("refused")))"] }
    withExtendedLifetime(cancellable) {}
  }

  @Test func taskSink() async {
    let answered = Signal()
    @Sendable func answer(_ request: Int) async { answered.fire() }
    let requests = [1, 2, 3].publisher
    let cancellable = requests
      .sink(maxTasks: 4) { completion in
        print(completion)
      } receiveValue: { request in
        await answer(request)
      }
    await until { print.lines == ["finished"] }
    #expect(answered.count == 3)
    withExtendedLifetime(cancellable) {}
  }

  @Test func taskSinkWithoutACompletion() async {
    let downloaded = Signal()
    @Sendable func download(_ url: URL) async { downloaded.fire() }
    let cancellable = urls.publisher
      .sink(maxTasks: 4) { await download($0) }
    await downloaded.wait(3)
    withExtendedLifetime(cancellable) {}
  }
}
