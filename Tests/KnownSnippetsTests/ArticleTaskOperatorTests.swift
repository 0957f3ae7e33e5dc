import Interflow
import Testing

// The operator of a published article on letting Combine and async/await work together, made of `flatMap`, `Deferred`
// and `Future`, compiled against this Combine, and what the article does with it.
//
// Deviations:
// - `fileprivate` in place of `public`, so that its names do not hide those of the package in the files beside this.
// - `asyncPrint` waits for a second that takes no time, and prints what the text has as a comment in the output.

fileprivate extension Publisher {
  func task<T>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) async -> T
  ) -> Publishers.FlatMap<Deferred<Future<T, Never>>, Self> {
    flatMap(maxPublishers: maxPublishers) { value in
      Deferred {
        Future { promise in
          Task {
            let output = await transform(value)
            promise(.success(output))
          }
        }
      }
    }
  }
}

fileprivate extension Publisher where Self.Failure == Never {
  func emptySink() -> AnyCancellable {
    sink(receiveValue: { _ in })
  }
}

@Suite struct ArticleTaskOperatorTests {
  private let console = Console()

  private func asyncPrint(value: String) async {
    console.print("hello \(value)")
    await console.waitASecond()
  }

  @Test func itIsUsedInPlaceOfThePackages() async {
    typealias Own = Publishers.FlatMap<Deferred<Future<Int, Never>>, Just<Int>>
    let own: Any = Just(1).task { $0 + 1 }
    #expect(own is Own)
  }

  @Test func oneAtATime() async {
    var cancellables = Set<AnyCancellable>()

    ["abc", "sdg", "353"].publisher
      .task(maxPublishers: .max(1)) { value in
        await asyncPrint(value: value)
      }
      .emptySink()
      .store(in: &cancellables)

    await console.waitForLines(6)
    #expect(
      console.lines == [
        "hello abc",
        "Wait for 1 second",
        "hello sdg",
        "Wait for 1 second",
        "hello 353",
        "Wait for 1 second",
      ])
  }

  @Test func withABufferAfterASubject() async {
    var cancellables = Set<AnyCancellable>()

    let publisher = PassthroughSubject<String, Never>()
    publisher
      // The number of caches and strategies are determined according to the specific business situation
      .buffer(size: 10, prefetch: .keepFull, whenFull: .dropOldest)
      .task(maxPublishers: .max(1)) { value in
        await asyncPrint(value: value)
      }
      .emptySink()
      .store(in: &cancellables)

    publisher.send("fat")
    publisher.send("bob")
    publisher.send("man")

    await console.waitForLines(6)
    #expect(
      console.lines == [
        "hello fat", "Wait for 1 second", "hello bob", "Wait for 1 second", "hello man", "Wait for 1 second",
      ])
  }
}
