import Interflow
import InterflowTestSupport
import Observation
import Testing

/// The examples of the documentation, as written there; what they print is compared with what they say.
@Suite struct DocumentationExamplesTests {
  private let print = ExampleOutput()

  // MARK: From asynchronous sequences to publishers

  @Test func publisherOfASequence() async {
    let numbers = AsyncStream<Int> { continuation in
      for number in 1...3 { continuation.yield(number) }
      continuation.finish()
    }
    let cancellable = numbers.publisher
      .sink {
        print($0)
      } receiveValue: {
        print($0)
      }  // 1, 2, 3, finished
    await until { print.lines == ["1", "2", "3", "finished"] }
    withExtendedLifetime(cancellable) {}
  }

  @Test func channel() async {
    let channel = AsyncChannel<Int, Never>()
    Task {
      for number in 1...3 { try await channel.send(number) }
      channel.send(completion: .finished)
    }
    for await number in channel.asyncValues {
      print(number)  // 1, 2, 3
    }
    #expect(print.lines == ["1", "2", "3"])
  }

  // MARK: From publishers to asynchronous sequences

  @Test func asyncValues() async {
    for await value in [1, 2, 3].publisher.asyncValues {
      print(value)  // 1, 2, 3
    }
    #expect(print.lines == ["1", "2", "3"])
  }

  @Test func asyncStream() async {
    let subject = PassthroughSubject<Int, Never>()
    let stream = subject.asyncStream()
    subject.send(1)
    subject.send(2)
    subject.send(completion: .finished)
    for await value in stream {
      print(value)  // 1, 2
    }
    #expect(print.lines == ["1", "2"])
  }

  @Test func firstValue() async {
    let value = await [1, 2, 3].publisher.firstValue()  // 1
    #expect(value == 1)
  }

  // MARK: Tasks

  private let urls = ["a", "bc", "def"]

  @Test func emptySink() async {
    let downloaded = Signal()
    @Sendable func download(_ url: String) async { downloaded.fire() }
    let cancellable = urls.publisher
      .task(maxPublishers: .max(4)) { await download($0) }
      .emptySink()
    await downloaded.wait(3)
    withExtendedLifetime(cancellable) {}
  }

  @Test func task() async {
    @Sendable func size(of url: String) async -> Int { url.count }
    let cancellable = urls.publisher
      .task(maxPublishers: .max(4)) { url in await size(of: url) }
      .sink { print($0) }
    await until { print.lines.sorted() == ["1", "2", "3"] }
    withExtendedLifetime(cancellable) {}
  }

  @Test func taskThatKeepsItsFailure() async {
    typealias NetworkError = TestError
    @Sendable func load(_ request: Int) async throws(NetworkError) -> String {
      if request == 2 { throw NetworkError("refused") }
      return "loaded"
    }
    let requests = PassthroughSubject<Int, NetworkError>()
    let cancellable =
      requests
      .task { request throws(NetworkError) in try await load(request) }
      .sink {
        print($0)
      } receiveValue: {
        print($0)
      }
    requests.send(1)
    await until { print.lines == ["loaded"] }
    requests.send(2)
    await until { print.lines == ["loaded", "\(Subscribers.Completion.failure(NetworkError("refused")))"] }
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Isolation

  @Test @MainActor func sinkOnTheMainActor() async {
    let downloads = Downloads()
    let names = PassthroughSubject<String, any Error>()
    downloads.follow(names)
    names.send("a")
    names.send("b")
    names.send(completion: .failure(TestError("offline")))
    await until { downloads.hasEnded }
    #expect(downloads.finished == ["a", "b"])
  }

  @Test func sinkThatHandsTheActor() async {
    let log = Log()
    let source = PassthroughSubject<String, any Error>()
    await log.follow(source)
    source.send("a")
    source.send("b")
    source.send(completion: .finished)
    while await !log.hasEnded { await Task.yield() }
    #expect(await log.lines == ["a", "b"])
  }

  @Test @MainActor func sinkOnTheMainActorWithoutACompletion() async {
    let board = Scoreboard()
    board.follow([1, 2, 3].publisher)
    await until { board.score == 6 }
  }

  @Test func sinkThatHandsTheActorWithoutACompletion() async {
    let total = Total()
    await total.follow([1, 2, 3].publisher)
    while await total.sum < 6 { await Task.yield() }
    #expect(await total.sum == 6)
  }

  // MARK: Observation

  @Test func propertyThatPublishesAfterItsChange() {
    final class Weather: ObservableObject {
      @PublishedAfterChange var temperature = 20.0
      var report: String { "It is \(temperature) degrees" }
    }

    let weather = Weather()
    let cancellable = weather.$temperature.sink { [unowned weather] _ in
      print(weather.report)  // It is 20.0 degrees
    }
    weather.temperature = 25  // It is 25.0 degrees
    #expect(print.lines == ["It is 20.0 degrees", "It is 25.0 degrees"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func assignToAPropertyThatPublishesAfterItsChange() {
    #expect(Clock().ticks == 3)
  }

  @Test @MainActor func readingsOfObservableObjects() async {
    let cart = Cart()
    let cancellable = total(of: cart).sink { print($0) }
    await until { print.lines == ["0 for 0"] }
    cart.items = 1
    cart.price = 20
    await until { print.lines == ["0 for 0", "1 for 20"] }
    withExtendedLifetime(cancellable) {}
  }

  @Test @MainActor func readingsUntilFinished() async {
    let download = Download()
    let cancellable = progress(of: download).sink {
      print($0)
    } receiveValue: {
      print($0)
    }
    await until { print.lines == ["0"] }
    download.progress = 50
    await until { print.lines == ["0", "50"] }
    download.progress = 100
    await until { print.lines == ["0", "50", "finished"] }
    withExtendedLifetime(cancellable) {}
  }

  @Test @MainActor func readingsOfOneModelUntilItHasGone() async {
    var player: Player? = Player()
    let cancellable = positions(of: player!).sink {
      print($0)
    } receiveValue: {
      print($0)
    }
    await until { print.lines == ["0"] }
    player?.position = 7
    await until { print.lines == ["0", "7"] }
    player = nil
    await until { print.lines == ["0", "7", "finished"] }
    withExtendedLifetime(cancellable) {}
  }

  @Test @MainActor func changesOfAnObservableObject() async {
    let settings = Settings()
    let showing = Task { await show(settings) }
    await Task.yield()
    while print.lines.isEmpty {
      settings.volume = 6
      await Task.yield()
    }
    #expect(print.lines.allSatisfy { $0 == "6" })
    showing.cancel()
    await showing.value
  }
}

// MARK: The types of the examples

extension DocumentationExamplesTests {
  @MainActor
  final class Downloads {
    private(set) var finished: [String] = []
    private(set) var hasEnded = false
    private var cancellable: AnyCancellable?

    func follow(_ names: some Publisher<String, any Error>) {
      cancellable = names.sink(isolation: #isolation) { [weak self] _ in
        self?.hasEnded = true
      } receiveValue: { [weak self] name in
        self?.finished.append(name)
      }
    }
  }

  actor Log {
    private(set) var lines: [String] = []
    private(set) var hasEnded = false
    private var cancellable: AnyCancellable?

    func follow(_ source: some Publisher<String, any Error>) {
      cancellable = source.sink(isolation: self) { log, _ in
        log.hasEnded = true
      } receiveValue: { log, line in
        log.lines.append(line)
      }
    }
  }

  @MainActor
  final class Scoreboard {
    private(set) var score = 0
    private var cancellable: AnyCancellable?

    func follow(_ points: some Publisher<Int, Never>) {
      cancellable = points.sink(isolation: #isolation) { [weak self] in self?.score += $0 }
    }
  }

  actor Total {
    private(set) var sum = 0
    private var cancellable: AnyCancellable?

    func follow(_ numbers: some Publisher<Int, Never>) {
      cancellable = numbers.sink(isolation: self) { total, number in total.sum += number }
    }
  }

  final class Clock {
    @PublishedAfterChange var ticks = 0
    init() { [1, 2, 3].publisher.assign(to: &$ticks) }
  }

  @MainActor @Observable
  final class Cart {
    var items = 0
    var price = 0
  }

  @MainActor
  func total(of cart: Cart) -> ObservationPublisher<String, Never> {
    ObservationPublisher { "\(cart.items) for \(cart.price)" }
  }

  @MainActor @Observable
  final class Download {
    var progress = 0
  }

  @MainActor
  func progress(of download: Download) -> ObservationPublisher<Int, Never> {
    .untilFinished { download.progress < 100 ? .next(download.progress) : .finish }
  }

  @MainActor @Observable
  final class Player {
    var position = 0
  }

  @MainActor
  func positions(of player: Player) -> ObservationPublisher<Int, Never> {
    ObservationPublisher(of: player) { $0.position }
  }

  @MainActor
  final class Settings: ObservableObject {
    @Published var volume = 5
  }

  @MainActor
  func show(_ settings: Settings) async {
    for await _ in settings.changes() {
      print(settings.volume)
    }
  }
}
