import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

// How clients of Combine spell publishers in their own signatures: generic, opaque, existential and erased.

private func sum<P>(_ publisher: P) -> Int where P: Publisher, P.Output == Int, P.Failure == Never {
  var sum = 0
  _ = publisher.sink { sum += $0 }
  return sum
}

private func sum(ofSome publisher: some Publisher<Int, Never>) -> Int { sum(publisher) }

private func sum(ofAny publisher: any Publisher<Int, Never>) -> Int { sum(publisher) }

private func sum(ofErased publisher: AnyPublisher<Int, Never>) -> Int { sum(publisher) }

private func evens(_ count: Int) -> some Publisher<Int, Never> { (1...count).publisher.map { $0 * 2 } }

private func publisher(failing: Bool) -> any Publisher<Int, TestError> {
  failing ? Fail(error: TestError()) : Just(1).setFailureType(to: TestError.self)
}

private func combined<A: Publisher, B: Publisher>(
  _ a: A, _ b: B
) -> AnyPublisher<(A.Output, B.Output), any Error> where A.Failure == B.Failure, A.Failure == Never {
  a.combineLatest(b).setFailureType(to: (any Error).self).eraseToAnyPublisher()
}

private protocol Service {
  associatedtype Changes: Publisher where Changes.Output == Int, Changes.Failure == Never

  var changes: Changes { get }
  var names: AnyPublisher<String, Never> { get }
}

private final class LiveService: Service {
  private let number = CurrentValueSubject<Int, Never>(1)
  private let name = PassthroughSubject<String, Never>()

  var changes: some Publisher<Int, Never> { number.map { $0 + 1 } }
  lazy var names = name.eraseToAnyPublisher()

  func rename(_ name: String) {
    self.name.send(name)
    number.value += 1
  }
}

private final class ViewModel<S: Service> {
  private(set) var log: [String] = []
  private var cancellables = Set<AnyCancellable>()
  private var bag: [AnyCancellable] = []
  private weak var subject: PassthroughSubject<Int, Never>?

  init(_ service: S, forwardingTo subject: PassthroughSubject<Int, Never>) {
    self.subject = subject
    service.changes
      .sink { [weak self] in self?.subject?.send($0) }
      .store(in: &cancellables)
    service.names
      .map { $0.uppercased() }
      .sink(
        receiveCompletion: { completion in
          switch completion {
          case .finished: break
          case .failure(let never): switch never {}
          }
        },
        receiveValue: { [weak self] name in
          guard let self = self else { return }
          self.log.append(name)
        }
      )
      .store(in: &bag)
  }
}

@Suite struct UserSignaturesTests {
  @Test func everySpellingTakesEveryPublisher() {
    let numbers = [1, 2, 3].publisher
    #expect(sum(numbers) == 6)
    #expect(sum(ofSome: numbers.map { $0 + 1 }) == 9)
    #expect(sum(ofAny: numbers.filter { $0 > 1 }) == 5)
    #expect(sum(ofErased: numbers.eraseToAnyPublisher()) == 6)
    #expect(sum(evens(3)) == 12)
    #expect(sum(ofAny: evens(3)) == 12)
    let publishers: [any Publisher<Int, Never>] = [Just(1), Optional(2).publisher, evens(1), Empty()]
    #expect(publishers.map { sum(ofAny: $0) } == [1, 2, 2, 0])
  }

  @Test func anExistentialIsSubscribedToAndErased() {
    var completions: [Subscribers.Completion<TestError>] = []
    let cancellable = publisher(failing: true).sink {
      completions.append($0)
    } receiveValue: { _ in
    }
    #expect(completions == [.failure(TestError())])
    cancellable.cancel()
    #expect(log(of: publisher(failing: false).eraseToAnyPublisher()) == ["1", "finished"])
  }

  @Test func constraintsBetweenFailures() {
    #expect(log(of: combined(Just(1), Just("a"))) == [#"(1, "a")"#, "finished"])
  }

  @Test func aModelThatHoldsItsSubscriptions() {
    let subject = PassthroughSubject<Int, Never>()
    let forwarded = RecordingSubscriber<Int, Never>()
    subject.subscribe(forwarded)
    let service = LiveService()
    let model = ViewModel(service, forwardingTo: subject)
    service.rename("a")
    #expect(model.log == ["A"])
    #expect(forwarded.log == ["2", "3"])
  }

  @Test func aFutureKeptByAClosure() {
    var keep: Future<Int, TestError>.Promise?
    let future = Future<Int, TestError> { promise in keep = promise }
    let recorder = RecordingSubscriber<Int, TestError>()
    future.subscribe(recorder)
    keep?(.success(1))
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func aPromiseInSignaturesOfItsOwn() {
    let handler = ResultHandler()
    perform(handler.handle)
    perform { handler.total += (try? $0.get()) ?? 0 }
    #expect(handler.total == 6)
    let recorder = RecordingSubscriber<Int, TestError>()
    Future.later { $0(.success(1)) }.subscribe(recorder)
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func aPromiseKeptByATask() async {
    let future = Future<Int, Never> { promise in Task { promise(.success(1)) } }
    #expect(await future.value == 1)
  }
}

/// Not `Sendable`, as most of what keeps a promise for somebody else is.
private final class ResultHandler {
  var total = 0

  func handle(_ result: Result<Int, TestError>) { total += (try? result.get()) ?? 0 }
}

private func perform(_ completion: @escaping Future<Int, TestError>.Promise) { completion(.success(3)) }

extension Future {
  fileprivate static func later(_ body: @escaping (@escaping Promise) -> Void) -> Deferred<Future> {
    Deferred { Future(body) }
  }
}
