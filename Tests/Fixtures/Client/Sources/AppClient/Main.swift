import Combine
import Foundation

// One thing of each kind that Combine has, as an application for Apple's platforms would say it.

struct City: Codable, Equatable {
  var name: String
  var inhabitants: Int
}

enum SearchError: Error, Equatable {
  case tooShort
  case offline(URLError.Code)
}

final class SearchModel: ObservableObject {
  @Published var query = ""
  @Published private(set) var results: [String] = []
  private let cities = ["Rome", "Riga", "Oslo"]
  private var cancellables: Set<AnyCancellable> = []

  init() {
    $query
      .removeDuplicates()
      .map { [cities] query in cities.filter { $0.hasPrefix(query) } }
      .assign(to: &$results)
    $results
      .dropFirst()
      .filter { $0.isEmpty }
      .sink { [weak self] _ in print("observation: nothing for \(self?.query ?? "")") }
      .store(in: &cancellables)
  }
}

final class Weather {
  var degrees = 0 {
    didSet { print("assign: \(degrees)") }
  }
}

/// An operator of one's own, as an extension, where `print` alone is the publisher's.
extension Publisher {
  func printed(_ name: String) -> AnyCancellable {
    sink(
      receiveCompletion: { if case .failure(let error) = $0 { Swift.print("\(name): failed, \(error)") } },
      receiveValue: { Swift.print("\(name): \($0)") })
  }
}

@main
enum Main {
  static func main() async throws {
    core()
    subjects()
    operators()
    errors()
    sharing()
    coding()
    notifications()
    observation()
    try await concurrency()
    await time()
    await network()
  }

  static func core() {
    struct Ticket: Publisher {
      typealias Output = Int
      typealias Failure = Never
      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        Just(7).receive(subscriber: subscriber)
      }
    }

    _ = Ticket().eraseToAnyPublisher().printed("core")
    _ = Deferred { Record<Int, Never> { $0.receive(1) } }.printed("record")
    let demand = Subscribers.Demand.max(2) + .max(1)
    print("demand: \(demand)")
    let weather = Weather()
    [18, 21].publisher.assign(to: \.degrees, on: weather).cancel()
    _ = Empty<Int, Never>().append(Optional(1).publisher).printed("origins")
  }

  static func subjects() {
    let temperature = CurrentValueSubject<Double, Never>(20)
    let clicks = PassthroughSubject<Void, Never>()
    let cancellable = clicks.map { temperature.value }.printed("subjects")
    clicks.send()
    temperature.value = 21.5
    clicks.send()
    cancellable.cancel()
    clicks.send()
  }

  static func operators() {
    let numbers = (1...6).publisher
    _ = numbers.map { $0 * $0 }.scan(0, +).map(\.description).printed("mapping")
    _ = numbers.filter { $0.isMultiple(of: 2) }.compactMap { $0 == 4 ? nil : $0 }.printed("filtering")
    _ = numbers.reduce(0, +).zip(numbers.count(), numbers.max()).printed("reducing")
    _ = numbers.collect(4).printed("collecting")
    _ = numbers.contains(3).combineLatest(numbers.allSatisfy { $0 < 6 }).printed("matching")
    _ = numbers.dropFirst(2).prefix(while: { $0 < 6 }).last().printed("selecting")
    _ = numbers.output(in: 1...2).merge(with: Just(9)).prepend(0).printed("combining")
    _ = numbers.prefix(2).flatMap(maxPublishers: .max(1)) { Array(repeating: $0, count: $0).publisher }
      .printed("flattening")

    let pages = PassthroughSubject<PassthroughSubject<String, Never>, Never>()
    let (first, second) = (PassthroughSubject<String, Never>(), PassthroughSubject<String, Never>())
    let cancellable = pages.switchToLatest().printed("switching")
    pages.send(first)
    first.send("first")
    pages.send(second)
    first.send("unseen")
    second.send("second")
    cancellable.cancel()

    _ = numbers.prefix(1)
      .handleEvents(receiveOutput: { print("debugging: about to see \($0)") })
      .print("debugging")
      .sink { _ in }
  }

  static func errors() {
    func validated(_ text: String) -> AnyPublisher<String, SearchError> {
      guard text.count > 2 else { return Fail(error: .tooShort).eraseToAnyPublisher() }
      return Just(text).setFailureType(to: SearchError.self).eraseToAnyPublisher()
    }

    _ = validated("Ri").printed("errors")
    _ = validated("Ri").catch { _ in Just("Riga") }.printed("catching")
    _ = validated("Ri").retry(1).replaceError(with: "nothing").printed("replacing")
    _ = Just("7x").tryMap { text throws -> Int in
      guard let number = Int(text) else { throw SearchError.tooShort }
      return number
    }
    .mapError { $0 as? SearchError ?? .offline(.unknown) }
    .printed("throwing")
  }

  static func sharing() {
    let source = PassthroughSubject<Int, Never>()
    let shared = source.handleEvents(receiveSubscription: { _ in print("sharing: one subscription") }).share()
    let both = [shared.printed("sharing one"), shared.printed("sharing two")]
    source.send(1)
    both.forEach { $0.cancel() }

    let connectable = (1...2).publisher.multicast { PassthroughSubject<Int, Never>() }
    let sum = connectable.reduce(0, +).printed("multicasting")
    connectable.connect().cancel()
    sum.cancel()
  }

  static func coding() {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    _ = Just(City(name: "Riga", inhabitants: 605_802))
      .encode(encoder: encoder)
      .map { String(decoding: $0, as: UTF8.self) }
      .printed("encoding")
    _ = Just(Data(#"{"name":"Oslo","inhabitants":709037}"#.utf8))
      .decode(type: City.self, decoder: JSONDecoder())
      .map(\.name)
      .printed("decoding")
  }

  static func notifications() {
    let renamed = Notification.Name("renamed")
    let cancellable = NotificationCenter.default.publisher(for: renamed)
      .compactMap { $0.userInfo?["name"] as? String }
      .printed("notifications")
    NotificationCenter.default.post(name: renamed, object: nil, userInfo: ["name": "a"])
    cancellable.cancel()
    NotificationCenter.default.post(name: renamed, object: nil, userInfo: ["name": "b"])
  }

  static func observation() {
    let model = SearchModel()
    let cancellable = model.objectWillChange.sink { print("observation: will change from \(model.results)") }
    model.query = "R"
    cancellable.cancel()
    model.query = "X"
    print("observation: \(model.results)")
  }

  static func concurrency() async throws {
    let future = Future<Int, any Error> { promise in
      DispatchQueue.global().async { promise(.success(42)) }
    }
    print("future: \(try await future.value)")
    for await value in (1...3).publisher.map({ $0 * 10 }).values { print("values: \(value)") }
  }

  static func time() async {
    for await tick in Timer.publish(every: 0.01, on: .main, in: .common).autoconnect()
      .scan(0, { count, _ in count + 1 }).values.prefix(2)
    {
      print("timer: \(tick)")
    }
    let typed = ["S", "Su", "Swift"].publisher.append(Empty(completeImmediately: false))
    let settled = typed.debounce(for: .milliseconds(20), scheduler: DispatchQueue.main).first()
    for await text in settled.values { print("debouncing: \(text)") }

    let background = OperationQueue()
    let moved = Just(1).subscribe(on: DispatchQueue.global()).receive(on: background)
      .map { _ in OperationQueue.current === background }
    for await isThere in moved.values { print("schedulers: \(isThere)") }
    let late = Just("late").delay(for: 0.01, scheduler: RunLoop.main)
    for await text in late.values { print("delaying: \(text)") }
    let never = Empty<Int, Never>(completeImmediately: false).timeout(.milliseconds(10), scheduler: DispatchQueue.main)
    for await number in never.values { print("timing out: \(number)") }
    print("timing out: done")
  }

  static func network() async {
    guard let url = URL(string: "unheard-of://example") else { return }
    let answer: URLSession.DataTaskPublisher = URLSession.shared.dataTaskPublisher(for: url)
    let size = answer.map(\.data.count).mapError { SearchError.offline($0.code) }
    do {
      for try await count in size.values { print("network: \(count) bytes") }
    } catch {
      print("network: \(error as? SearchError == .offline(.unsupportedURL) ? "unsupported" : "\(error)")")
    }
  }
}
