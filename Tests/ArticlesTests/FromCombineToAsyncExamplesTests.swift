import AsyncOperators
import Dispatch
import Foundation
import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

/// The examples of *From Combine to async, piece by piece*, as written there; what they print is compared with what they
/// say.
@Suite struct FromCombineToAsyncExamplesTests {
  private let print = ExampleOutput()

  // MARK: A sink in a view model

  enum WithASink {
    @MainActor
    final class Inbox: ObservableObject {
      @Published private(set) var messages: [String] = []
      private var cancellables: Set<AnyCancellable> = []

      func follow(_ source: some Publisher<String, Never>) {
        source
          .receive(on: DispatchQueue.main)
          .sink { [weak self] message in self?.messages.append(message) }
          .store(in: &cancellables)
      }
    }
  }

  enum WithALoop {
    @MainActor
    final class Inbox: ObservableObject {
      @Published private(set) var messages: [String] = []

      func follow(_ source: some AsyncSequence<String, Never>) async {
        for await message in source { messages.append(message) }
      }
    }
  }

  @Test @MainActor func sinkInAViewModel() async {
    let inbox = WithASink.Inbox()
    let source = PassthroughSubject<String, Never>()
    inbox.follow(source)
    source.send("hello")
    await until { inbox.messages == ["hello"] }
  }

  @Test @MainActor func loopInAViewModel() async {
    typealias Inbox = WithALoop.Inbox
    let source = PassthroughSubject<String, Never>()
    let inbox = Inbox()
    let messages = source.asyncStream()
    let task = Task { await inbox.follow(messages) }
    source.send("hello")
    await until { inbox.messages == ["hello"] }
    task.cancel()
    await task.value
  }

  // MARK: A request

  enum LoadError: Error { case noSuchPage }

  private static func load(_ page: Int, completion: @escaping (Result<String, LoadError>) -> Void) {
    completion(page == 1 ? .success("Contents") : .failure(.noSuchPage))
  }

  @Test func requestAsAPublisher() {
    let load = Self.load
    func title(of page: Int) -> Future<String, LoadError> {
      Future { promise in load(page) { promise($0) } }
    }

    let cancellable = title(of: 1)
      .sink {
        print($0)
      } receiveValue: {
        print($0)
      }
    #expect(print.lines == ["Contents", "finished"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func requestAsAFunction() async {
    @Sendable func load(_ page: Int, completion: @escaping (Result<String, LoadError>) -> Void) {
      Self.load(page, completion: completion)
    }
    @Sendable func title(of page: Int) async throws(LoadError) -> String {
      let result = await withCheckedContinuation { continuation in
        load(page) { continuation.resume(returning: $0) }
      }
      return try result.get()
    }

    let page = Deferred { () async throws(LoadError) in try await title(of: 1) }

    let cancellable = page.sink {
      print($0)
    } receiveValue: {
      print($0)
    }
    await until { print.lines == ["Contents", "finished"] }
    await #expect(throws: LoadError.noSuchPage) { try await title(of: 2) }
    withExtendedLifetime(cancellable) {}
  }

  // MARK: A search while the user types

  private static func search(_ text: String) async -> String { "results for \(text)" }

  @Test func searchAsAPipeline() throws {
    @Sendable func search(_ text: String) async -> String { await Self.search(text) }
    let timeline = TestTimeline(frame: .milliseconds(100))
    let typed = try timeline.hot("ab---b---c--", values: ["a": "s", "b": "sw", "c": "x"])
    let scheduler = timeline.scheduler

    let results =
      typed
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .removeDuplicates()
      .map { text in Deferred { await search(text) } }
      .switchToLatest()

    try timeline.expect(
      results, toEmit: "----x-------y", values: ["x": "results for sw", "y": "results for x"])
  }

  @Test func searchAsASequence() throws {
    @Sendable func search(_ text: String) async -> String { await Self.search(text) }
    let timeline = TestTimeline(frame: .milliseconds(100))
    let typed = try timeline.hot("ab---b---c--", values: ["a": "s", "b": "sw", "c": "x"])
    let clock = timeline.clock

    let results = typed.asyncStream()
      .debounce(for: .milliseconds(300), clock: clock)
      .removeDuplicates()
      .flatMapLatest { text in [await search(text)].async }

    try timeline.expect(
      results, toEmit: "----x-------y", values: ["x": "results for sw", "y": "results for x"])
  }

  // MARK: Several sources

  // The page has these, and the notifications, timers and assignments below, in a table.

  @Test func severalPublishers() {
    let width = CurrentValueSubject<Int, Never>(2)
    let height = CurrentValueSubject<Int, Never>(3)
    let local = PassthroughSubject<String, Never>()
    let remote = PassthroughSubject<String, Never>()

    let area = width.combineLatest(height).sink { print($0 * $1) }
    let events = local.merge(with: remote).sink { print($0) }
    let pairs = local.zip(remote).sink { print($0, $1) }

    width.send(4)
    remote.send("remote")
    local.send("local")
    #expect(print.lines == ["6", "12", "remote", "local", "local remote"])
    withExtendedLifetime((area, events, pairs)) {}
  }

  @Test func severalSequences() async throws {
    let timeline = TestTimeline()
    let width = try timeline.hot("a--b-|", values: ["a": 2, "b": 4]).asyncStream()
    let height = try timeline.hot("-a---|", values: ["a": 3]).asyncStream()
    let local = try timeline.hot("-----l|").asyncStream()
    let remote = try timeline.hot("---r---|").asyncStream()
    let requests = try timeline.hot("a|").asyncStream()
    let replies = try timeline.hot("--b|").asyncStream()

    try timeline.run { [print] in
      for await (width, height) in combineLatest(width, height) { print(width * height) }
      for await event in merge(local, remote) { print(event) }
      for await (request, reply) in zip(requests, replies) { print(request, reply) }
    }
    #expect(print.lines.prefix(2) == ["6", "12"])
    #expect(print.lines.dropFirst(2).prefix(2).sorted() == ["l", "r"])
    #expect(print.lines.dropFirst(4) == ["a b"])
  }

  // MARK: One source, several consumers

  @Test func sharedPublisher() {
    let readings = PassthroughSubject<Int, Never>()

    let shared = readings.share()
    let log = shared.sink { print("log: \($0)") }
    let alarm = shared.filter { $0 > 100 }.sink { print("alarm: \($0)") }

    readings.send(99)
    readings.send(101)
    #expect(print.lines == ["log: 99", "log: 101", "alarm: 101"])
    withExtendedLifetime((log, alarm)) {}
  }

  @Test func sharedSequence() async {
    let subject = PassthroughSubject<Int, Never>()
    let readings = subject.asyncStream()

    let shared = readings.share(replay: .max)
    let log = Task { for await reading in shared { print("log: \(reading)") } }
    let alarm = Task { for await reading in shared where reading > 100 { print("alarm: \(reading)") } }

    subject.send(99)
    subject.send(101)
    subject.send(completion: .finished)
    await log.value
    await alarm.value
    #expect(print.lines.sorted() == ["alarm: 101", "log: 101", "log: 99"])
  }

  // MARK: State

  @Test func stateOfASubject() async {
    let volume = CurrentValueSubject<Int, Never>(5)
    let levels = volume.asyncStream(bufferingPolicy: .bufferingNewest(1))
    volume.value = 6
    volume.value = 7
    volume.send(completion: .finished)
    for await level in levels { print(level) }  // 7
    #expect(print.lines == ["7"])
  }

  @Test func stateOfAnAsyncSubject() async {
    let volume = AsyncCurrentValueSubject<Int, Never>(5)
    let loop = Task { for await level in volume { print(level) } }

    await until { print.lines == ["5"] }
    volume.value = 6
    await until { print.lines == ["5", "6"] }
    volume.finish()
    await loop.value
  }

  // MARK: Notifications and timers

  @Test func notificationsOfAPublisher() {
    let center = NotificationCenter()
    let renamed = Notification.Name("renamed")

    let cancellable = center.publisher(for: renamed)
      .sink { notification in print(notification.name.rawValue) }

    center.post(name: renamed, object: nil)
    #expect(print.lines == ["renamed"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func notificationsOfASequence() async {
    let center = NotificationCenter()
    let renamed = Notification.Name("renamed")

    let task = Task {
      for await notification in center.notifications(named: renamed) { print(notification.name.rawValue) }
    }

    await until {
      center.post(name: renamed, object: nil)
      return print.lines.first == "renamed"
    }
    task.cancel()
    await task.value
  }

  @Test func timerAsAPublisher() async {
    let ticks = Timer.publish(every: 0.1, on: .main, in: .common)
      .autoconnect()
      .sink { _ in print("tick") }

    await until { print.lines.count >= 2 }
    ticks.cancel()
  }

  @Test func timerAsASequence() throws {
    let timeline = TestTimeline()
    let clock = timeline.clock

    try timeline.run { [print] in
      for await _ in AsyncTimerSequence(interval: .milliseconds(100), clock: clock).prefix(3) { print("tick") }
    }
    #expect(print.lines == ["tick", "tick", "tick"])
    #expect(timeline.now == 0.3)
  }

  // MARK: Retry and catch

  @Test func retriedPublisher() async {
    let attempts = Shared(0)
    @Sendable func load() async throws(LoadError) -> String {
      attempts.update { $0 += 1 }
      throw .noSuchPage
    }

    let page = Deferred { () async throws(LoadError) in try await load() }
      .retry(2)
      .catch { _ in Just("offline") }

    #expect(await page.firstValue() == "offline")
    #expect(attempts.value == 3)
  }

  @Test func retriedFunction() async {
    let attempts = Shared(0)
    @Sendable func load() async throws(LoadError) -> String {
      attempts.update { $0 += 1 }
      throw .noSuchPage
    }
    func page() async -> String {
      for _ in 0...2 {
        if let page = try? await load() { return page }
      }
      return "offline"
    }

    #expect(await page() == "offline")
    #expect(attempts.value == 3)
  }

  // MARK: Assign

  private final class Label {
    var text = ""
  }

  @Test func assignedPublisher() {
    let names = ["Ada", "Grace"].publisher
    let label = Label()

    let cancellable = names.map { "Hello, \($0)" }.assign(to: \.text, on: label)

    #expect(label.text == "Hello, Grace")
    withExtendedLifetime(cancellable) {}
  }

  @Test func assignedSequence() async {
    let names = ["Ada", "Grace"].async
    let label = Label()

    for await name in names { label.text = "Hello, \(name)" }

    #expect(label.text == "Hello, Grace")
  }

  // MARK: A delegate

  enum WithASubject {
    final class Places: LocatorDelegate {
      let updates = PassthroughSubject<Place, Never>()

      func locator(didMoveTo place: Place) { updates.send(place) }
    }
  }

  enum WithAStream {
    final class Places: LocatorDelegate {
      let updates: AsyncStream<Place>
      private let continuation: AsyncStream<Place>.Continuation

      init() { (updates, continuation) = AsyncStream.makeStream() }

      func locator(didMoveTo place: Place) { continuation.yield(place) }

      deinit { continuation.finish() }
    }
  }

  @Test func delegateWithASubject() async {
    let places = WithASubject.Places()
    let stream = places.updates.asyncStream()
    places.locator(didMoveTo: "home")
    places.updates.send(completion: .finished)
    for await place in stream { print(place) }
    #expect(print.lines == ["home"])
  }

  @Test func delegateWithAStream() async {
    var places: WithAStream.Places? = WithAStream.Places()
    let updates = places!.updates
    places?.locator(didMoveTo: "home")
    places = nil
    let cancellable = updates.publisher.sink {
      print($0)
    } receiveValue: {
      print($0)
    }
    await until { print.lines == ["home", "finished"] }
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Cancel bags

  @Test func taskInACancelBag() async {
    let subject = PassthroughSubject<Int, Never>()
    let readings = subject.asyncStream()
    var cancellables: Set<AnyCancellable> = []

    let task = Task { for await reading in readings { print(reading) } }
    AnyCancellable(task.cancel).store(in: &cancellables)

    cancellables.removeAll()
    await task.value
    #expect(task.isCancelled)
  }

  @Test func taskInsteadOfACancelBag() async {
    let sensor = PassthroughSubject<Int, Never>()
    let mailbox = PassthroughSubject<String, Never>()
    let readings = sensor.asyncStream()
    let messages = mailbox.asyncStream()
    @Sendable func handle(_ value: some Sendable) { print(value) }

    @Sendable func run() async {
      await withDiscardingTaskGroup { group in
        group.addTask { for await reading in readings { handle(reading) } }
        group.addTask { for await message in messages { handle(message) } }
      }
    }

    let task = Task { await run() }
    sensor.send(1)
    mailbox.send("hello")
    await until { print.lines.sorted() == ["1", "hello"] }
    task.cancel()
    await task.value
  }
}

typealias Place = String

protocol LocatorDelegate: AnyObject {
  func locator(didMoveTo place: Place)
}
