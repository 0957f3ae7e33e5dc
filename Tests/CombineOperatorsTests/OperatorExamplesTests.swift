import CombineOperators
import Dispatch
import InterflowTestSupport
import InterflowTesting
import Testing

/// The examples of the comments, in the order of their files.
@Suite struct OperatorExamplesTests {
  private let print = ExampleOutput()

  // MARK: Combining

  @Test func withLatestFrom() {
    let (buyButton, selection) = (PassthroughSubject<Void, Never>(), CurrentValueSubject<String, Never>("tea"))
    let purchases = buyButton.withLatestFrom(selection) { _, product in product }
    let recorder = purchases.recorded()
    buyButton.send()
    #expect(recorder.values == ["tea"])
  }

  @Test func flatMapLatest() {
    let query = Just("a")
    let suggestions = query.flatMapLatest { search($0) }
    #expect(suggestions.recorded().values == ["a hit"])
  }

  @Test func flatMapFirst() {
    let signInButton = Just(())
    let signIns = signInButton.flatMapFirst { signIn() }
    #expect(signIns.recorded().values == ["signed in"])
  }

  @Test func concatMap() {
    let files = ["a", "b"].publisher
    let uploads = files.concatMap { upload($0) }
    #expect(uploads.recorded().values == ["a hit", "b hit"])
  }

  @Test func concatMapOfASubject() {
    let drops = PassthroughSubject<String, Never>()
    let queued = drops.buffer(size: .max, prefetch: .keepFull, whenFull: .dropNewest).concatMap { upload($0) }
    let recorder = queued.recorded()
    for file in ["a", "b"] { drops.send(file) }
    #expect(recorder.values == ["a hit", "b hit"])
  }

  @Test func sample() {
    let (pointer, frames) = (CurrentValueSubject<Int, Never>(1), PassthroughSubject<Void, Never>())
    let position = pointer.sample(frames)
    let recorder = position.recorded()
    frames.send()
    #expect(recorder.values == [1])
  }

  @Test func amb() {
    let mirrors = [Mirror(), Mirror()]
    let nearest = mirrors[0].fetch().amb(mirrors[1].fetch())
    #expect(nearest.recorded().values == ["page"])
  }

  @Test func zipOfACollection() {
    let urls = ["a", "b"]
    func fetch(_ url: String) -> Just<String> { Just(url) }
    let pages = urls.map(fetch).zip()
    #expect(pages.recorded().values == [["a", "b"]])
  }

  @Test func zipOfAPack() {
    let (name, age, address, pictures, friends) = (Just("Ann"), Just(7), Just("Main St"), Just([1]), Just([2]))
    let profile = zip(name, age, address, pictures, friends)
    #expect(profile.map { $0.0 }.recorded().values == ["Ann"])
  }

  // MARK: Creation

  @Test func create() {
    let downloads = AnyPublisher<String, Never>.create { subscriber in
      subscriber.send("started")
      subscriber.send(completion: .finished)
      return AnyCancellable { print("ended") }
    }
    #expect(downloads.recorded().values == ["started"])
    #expect(print.lines == ["ended"])
  }

  @Test func interval() {
    let seconds = Publishers.Interval(every: .seconds(1), on: DispatchQueue.main)
    _ = seconds
  }

  @Test func unfold() {
    let powers = Publishers.Unfold(1) { power in
      defer { power *= 2 }
      return power < 100 ? power : nil
    }
    #expect(powers.recorded().values == [1, 2, 4, 8, 16, 32, 64])
  }

  // MARK: Errors

  @Test func ignoreFailure() {
    let download = Fail<Int, TestError>(error: TestError())
    let pictures = download.ignoreFailure()
    #expect(pictures.recorded().isFinished)
  }

  @Test func mapToResult() {
    let request = Just(1)
    let results = request.mapToResult()
    #expect(results.recorded().values == [.success(1)])
  }

  @Test func materialize() {
    let events = [1, 2].publisher.materialize()  // value(1), value(2), finished
    #expect(events.recorded().values == [.value(1), .value(2), .finished])
  }

  @Test func retryWhen() {
    let timeline = TestTimeline()
    let queue = timeline.scheduler
    var attempts = 0
    let connection = Deferred { () -> AnyPublisher<Int, TestError> in
      attempts += 1
      if attempts < 4 { return Fail(error: TestError()).eraseToAnyPublisher() }
      return Just(7).setFailureType(to: TestError.self).eraseToAnyPublisher()
    }
    let quotes = connection.retryWhen { failures in
      failures.delay(for: .seconds(1), scheduler: queue)
    }
    let recorder = quotes.recorded()
    timeline.advance(by: .seconds(2))
    #expect(attempts == 3)
    timeline.advance(by: .seconds(1))
    #expect(recorder.log == ["7", "finished"])
  }

  @Test func retry() {
    let connection = Fail<Int, TestError>(error: TestError())
    let quotes = connection.retry(
      5, delay: .milliseconds(100), backoff: .exponential(upTo: .seconds(10)), jitter: 0.5, on: DispatchQueue.main)
    _ = quotes
  }

  // MARK: Relays

  @Test func relays() {
    let (numbers, relay) = ([1].publisher, CurrentValueRelay(0))
    let cancellable = numbers.subscribe(relay)
    withExtendedLifetime(cancellable) { #expect(relay.value == 1) }
  }

  @Test func currentValueRelay() {
    let volume = CurrentValueRelay(3)
    let cancellable = volume.sink { print($0) }  // 3
    volume.accept(4)  // 4
    withExtendedLifetime(cancellable) { #expect(print.lines == ["3", "4"]) }
  }

  @Test func passthroughRelay() {
    let taps = PassthroughRelay<String>()
    let cancellable = taps.sink { print($0) }
    taps.accept("play")  // play
    withExtendedLifetime(cancellable) { #expect(print.lines == ["play"]) }
  }

  @Test func assignWithOwnership() {
    let (titles, page) = (Just("News"), Page())
    let cancellable = titles.assign(to: \.title, on: page, ownership: .weak)
    withExtendedLifetime(cancellable) { #expect(page.title == "News") }
  }

  @Test func assignToMany() {
    let (titles, page, label) = (Just("News"), Page(), Label())
    let cancellable = titles.assign(to: \.title, on: page, and: \.text, on: label)
    withExtendedLifetime(cancellable) { #expect(label.text == "News") }
  }

  // MARK: Sharing

  @Test func share() {
    func fetchProfile() -> Just<String> { Just("Ann") }
    let profile = fetchProfile().share(replay: 1)
    #expect(profile.recorded().values == ["Ann"])
  }

  @Test func replaySubject() {
    let positions = ReplaySubject<Int, Never>(bufferSize: 2)
    for position in 1...3 { positions.send(position) }
    let cancellable = positions.sink { print($0) }  // 2, 3
    withExtendedLifetime(cancellable) { #expect(print.lines == ["2", "3"]) }
  }
}

// What the examples call.

private struct Mirror {
  func fetch() -> Just<String> { Just("page") }
}
private final class Page {
  var title = ""
}
private final class Label {
  var text = ""
}
private func search(_ text: String) -> Just<String> { Just("\(text) hit") }
private func upload(_ file: String) -> Just<String> { search(file) }
private func signIn() -> Just<String> { Just("signed in") }
