import CombineOperators
import Dispatch
import InterflowTestSupport
import Testing

@Suite struct ShapingExamplesTests {
  @Test func mapMany() {
    let people = Just([(name: "Ann", age: 7)])
    let names = people.mapMany { $0.name }
    #expect(names.recorded().values == [["Ann"]])
  }

  @Test func mapToValue() {
    let button = Just(())
    let reloads = button.mapToValue(Command.reload)
    #expect(reloads.recorded().values == [.reload])
  }

  @Test func ignoreOutput() {
    func save() -> Just<Int> { Just(1) }
    func open() -> Just<Document> { Just(Document()) }
    let saved = save().ignoreOutput(setOutputType: Document.self).append(open())
    #expect(saved.recorded().values == [Document()])
  }

  @Test func removeAllDuplicates() {
    let words = ["a", "b", "a"].publisher.removeAllDuplicates()  // a, b
    #expect(words.recorded().values == ["a", "b"])
  }

  @Test func nwise() {
    let windows = (1...4).publisher.nwise(3)  // [1, 2, 3], [2, 3, 4]
    #expect(windows.recorded().values == [[1, 2, 3], [2, 3, 4]])
  }

  @Test func pairwise() {
    let steps = [1, 3, 6].publisher.pairwise().map { $1 - $0 }  // 2, 3
    #expect(steps.recorded().values == [2, 3])
  }

  @Test func enumerated() {
    let rows = ["a", "b"].publisher.enumerated()  // (0, a), (1, b)
    #expect(rows.map { "\($0.index)\($0.element)" }.recorded().values == ["0a", "1b"])
  }

  @Test func partition() {
    let numbers = [1, 2].publisher
    let (even, odd) = numbers.partition { $0.isMultiple(of: 2) }
    #expect(even.recorded().values == [2])
    _ = odd
  }

  @Test func prefixWhile() {
    let progress = [50, 100, 100].publisher
    let steps = progress.prefix(while: { $0 < 100 }, behavior: .inclusive)
    #expect(steps.recorded().values == [50, 100])
  }

  @Test func prefixDuration() {
    let taps = Just(())
    let clicks = taps.prefix(duration: .seconds(3), on: DispatchQueue.main)
    _ = clicks
  }

  @Test func suffix() {
    let latest = (1...5).publisher.suffix(2)  // 4, 5
    #expect(latest.recorded().values == [4, 5])
  }

  @Test func ifEmpty() {
    let (query, suggestions) = ("a", Just("suggestion"))
    func search(_ query: String) -> Empty<String, Never> { Empty() }
    let hits = search(query).ifEmpty(switchTo: suggestions)
    #expect(hits.recorded().values == ["suggestion"])
  }

  @Test func unwrap() {
    let session = Just(Optional("Ann"))
    let user = session.unwrap(orThrow: SignedOut())
    #expect(user.recorded().values == ["Ann"])
  }

  @Test func groupBy() {
    let payments = [Payment(account: "a", amount: 1), Payment(account: "a", amount: 2)].publisher
    let totals = payments.groupBy(\.account).flatMap { $0.map(\.amount).scan(0, +) }
    #expect(totals.recorded().values == [1, 3])
  }

  @Test func windowOfValues() {
    let sums = (1...4).publisher.window(count: 2).flatMap { $0.reduce(0, +) }  // 3, 7
    #expect(sums.recorded().values == [3, 7])
  }

  @Test func windowOfTime() {
    let requests = Just(())
    let rates = requests.window(time: .seconds(1), scheduler: DispatchQueue.main).flatMap { $0.count() }
    _ = rates
  }
}

/// The examples of the first page.
@Suite struct OverviewExamplesTests {
  @Test func mostWanted() {
    let (buyButton, cart, questions, queue) = (
      PassthroughSubject<Void, Never>(), CurrentValueSubject<Int, Never>(1), Just("why"), DispatchQueue.main
    )
    let (title, author, text, pictures, comments) = (Just("A"), Just("B"), Just("C"), Just(1), Just([2]))
    let store = Store()
    func answer(_ question: String) -> Just<String> { Just("\(question)?") }
    func loadProfile() -> Just<String> { Just("Ann") }
    func connect() -> Fail<Int, TestError> { Fail(error: TestError()) }
    // The state at the moment of an event.
    let orders = buyButton.withLatestFrom(cart) { _, cart in Order(cart) }

    // Only the answer to the newest question.
    let results = questions.flatMapLatest { answer($0) }

    // One request for all subscribers, also for those that come later.
    let profile = loadProfile().share(replay: 1)

    // Again after a failure, with growing pauses.
    let feed = connect().retry(5, delay: .seconds(1), backoff: .exponential(upTo: .seconds(30)), on: queue)

    // A callback as a publisher.
    let changes = AnyPublisher<String, Never>.create { subscriber in
      let observer = store.observe { subscriber.send($0) }
      return AnyCancellable { observer.stop() }
    }

    // Any number of publishers in a tuple.
    let page = zip(title, author, text, pictures, comments)

    let recorder = orders.recorded()
    buyButton.send()
    #expect(recorder.values.map(\.count) == [1])
    #expect(results.recorded().values == ["why?"])
    #expect(profile.recorded().values == ["Ann"])
    #expect(changes.recorded().values == ["changed"])
    #expect(page.map { $0.4 }.recorded().values == [[2]])
    _ = feed
  }
}

// What the examples call.

private enum Command { case reload }
private struct Document: Equatable {}
private struct SignedOut: Error {}
private struct Payment {
  let account: String
  let amount: Int
}
private struct Order {
  let count: Int
  init(_ count: Int) { self.count = count }
}
private struct Store {
  func observe(_ observer: (String) -> Void) -> Store {
    observer("changed")
    return self
  }
  func stop() {}
}
