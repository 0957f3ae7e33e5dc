import Combine
import InterflowTestSupport
import Testing

// Extensions as clients of Combine write them. They name Combine's types, and the types' generic parameters, as Apple
// does; that they compile is the greater part of the test.

extension Publishers.FlatMap where NewPublisher == Just<Upstream.Output>, Upstream: Publisher {
  fileprivate func unflattened() -> Upstream { upstream }
}

extension Publishers.SwitchToLatest where P.Output == Int, Upstream.Failure == Never {
  fileprivate func doubled() -> AnyPublisher<Int, P.Failure> { map { $0 * 2 }.eraseToAnyPublisher() }
}

extension Publishers.Merge where A.Output: Comparable, B: Publisher {
  fileprivate var both: (A, B) { (a, b) }
}

extension Publishers.Zip3 where A: Publisher, B: Publisher, C.Output == String {
  fileprivate func third() -> Publishers.Map<Self, String> { map { $0.2 } }
}

extension Publishers.CombineLatest4 where D.Failure == Never {
  fileprivate var last: D { d }
}

extension Publishers.Concatenate where Prefix == Suffix {
  fileprivate var halves: [Prefix] { [prefix, suffix] }
}

extension Publishers.Catch where NewPublisher == Just<Upstream.Output> {
  fileprivate func replaced() -> Publishers.SetFailureType<Self, TestError> { setFailureType(to: TestError.self) }
}

extension Publishers.MapKeyPath2 where Output0 == Output1 {
  fileprivate func added(_ add: @escaping (Output0, Output0) -> Output0) -> Publishers.Map<Self, Output0> {
    map { add($0, $1) }
  }
}

extension Publishers.Decode where Coder == LineDecoder, Output == String {
  fileprivate func lines() -> Publishers.Map<Self, Int> { map { $0.split(separator: "\n").count } }
}

private struct LineDecoder: TopLevelDecoder {
  func decode<T>(_ type: T.Type, from text: String) throws -> T where T: Decodable {
    guard let line = text as? T else { throw TestError("not a string") }
    return line
  }
}

extension Publishers.Multicast where SubjectType == PassthroughSubject<Upstream.Output, Upstream.Failure> {
  fileprivate func connected() -> Publishers.Autoconnect<Publishers.Multicast<Upstream, SubjectType>> { autoconnect() }
}

extension Publishers.Sequence where Elements == [Int], Failure == Never {
  fileprivate var total: Int { sequence.reduce(0, +) }
}

extension Deferred where DeferredPublisher == Just<Int> {
  fileprivate static func of(_ value: Int) -> Self { Deferred { Just(value) } }
}

extension Optional.Publisher {
  fileprivate func orFail<E: Error>(_ error: E) -> AnyPublisher<Wrapped, E> {
    output.map { Just($0).setFailureType(to: E.self).eraseToAnyPublisher() } ?? Fail(error: error).eraseToAnyPublisher()
  }
}

extension Result.Publisher {
  fileprivate var isSuccess: Bool { if case .success = result { true } else { false } }
}

extension Result.Publisher where Success == Void {
  fileprivate static func done() -> Self { .init(.success(())) }
}

extension Optional {
  fileprivate var asPublisher: AnyPublisher<Wrapped, Never> { publisher.eraseToAnyPublisher() }

  fileprivate func publisher<E: Error>(failingWith error: E) -> AnyPublisher<Wrapped, E> { publisher.orFail(error) }
}

extension Optional where Wrapped: Combine.Publisher {
  fileprivate func orEmpty() -> AnyPublisher<Wrapped.Output, Wrapped.Failure> {
    self?.eraseToAnyPublisher() ?? Empty().eraseToAnyPublisher()
  }
}

extension Optional where Wrapped == String {
  // Before there was one in Combine, many had their own, and still have it.
  fileprivate var publisher: AnyPublisher<String, Never> { Just(self ?? "none").eraseToAnyPublisher() }
}

extension AnyPublisher {
  fileprivate static func just(_ output: Output) -> Self {
    Just(output).setFailureType(to: Failure.self).eraseToAnyPublisher()
  }

  fileprivate static func fail(_ error: Failure) -> Self { Fail(error: error).eraseToAnyPublisher() }

  fileprivate static var empty: Self { Empty().eraseToAnyPublisher() }

  fileprivate static var never: Self { Empty(completeImmediately: false).eraseToAnyPublisher() }
}

extension Publisher {
  fileprivate func asResult() -> AnyPublisher<Result<Output, Failure>, Never> {
    map(Result.success).catch { Just(.failure($0)) }.eraseToAnyPublisher()
  }

  fileprivate func then<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.MapError<Self, any Error>> where P.Failure == any Error {
    mapError { $0 as any Error }.flatMap(transform)
  }

  fileprivate func mapToVoid() -> AnyPublisher<Void, Failure> { map { _ in () }.eraseToAnyPublisher() }

  fileprivate func unwrapped<T>(or value: T) -> Publishers.Map<Self, T> where Output == T? { map { $0 ?? value } }
}

extension Publisher where Failure == Never {
  fileprivate func weakAssign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on root: Root
  ) -> AnyCancellable {
    sink { [weak root] in root?[keyPath: keyPath] = $0 }
  }
}

extension Sequence where Element: Publisher {
  fileprivate func merged() -> Publishers.MergeMany<Element> { Publishers.MergeMany(self) }

  fileprivate func concatenated() -> AnyPublisher<Element.Output, Element.Failure> {
    reduce(Empty().eraseToAnyPublisher()) { $0.append($1).eraseToAnyPublisher() }
  }
}

@Suite struct UserExtensionsTests {
  @Test func extensionsOfOperatorsNameTheirParameters() {
    let upstream = [1, 2].publisher
    #expect(upstream.flatMap { Just($0) }.unflattened() == upstream)
    #expect(log(of: Just(Just(2)).eraseToAnyPublisher().switchToLatest().doubled()) == ["4", "finished"])
    #expect(upstream.merge(with: Just(3)).both.1 == Just(3))
    #expect(log(of: Just(1).zip(Just(2), Just("c")).third()) == ["c", "finished"])
    #expect(Just(1).combineLatest(Just(2), Just(3), Just("d")).last == Just("d"))
    let concatenated = Publishers.Concatenate(prefix: Just(1), suffix: Just(2))
    #expect(concatenated.halves == [Just(1), Just(2)])
    #expect(log(of: Fail<Int, TestError>(error: TestError()).catch { _ in Just(7) }.replaced()) == ["7", "finished"])
    #expect(log(of: Just("ab").map(\.count, \.utf8.count).added(+)) == ["4", "finished"])
    let decoded = Just("a\nb").decode(type: String.self, decoder: LineDecoder()).lines()
    #expect(log(of: decoded) == ["2", "finished"])
    let connected = upstream.multicast { PassthroughSubject<Int, Never>() }.connected()
    #expect(log(of: connected) == ["1", "2", "finished"])
    #expect(upstream.total == 3)
    #expect(log(of: Deferred.of(5)) == ["5", "finished"])
  }

  @Test func extensionsOfTheNestedPublishers() {
    #expect(log(of: Int?.none.publisher.orFail(TestError())) == ["test error"])
    #expect(log(of: Optional(1).publisher(failingWith: TestError())) == ["1", "finished"])
    #expect(Result<Int, TestError>.success(1).publisher.isSuccess)
    #expect(Result<Void, TestError>.Publisher.done().isSuccess)
  }

  @Test func membersOfOptionalNextToOurs() {
    #expect(log(of: Optional(1).asPublisher) == ["1", "finished"])
    #expect(log(of: Optional(Just(1)).orEmpty()) == ["1", "finished"])
    let text: String? = nil
    #expect(log(of: text.publisher as AnyPublisher<String, Never>) == ["none", "finished"])
  }

  @Test func extensionsOfPublisherAndItsErasure() {
    #expect(log(of: AnyPublisher<Int, TestError>.just(1)) == ["1", "finished"])
    #expect(log(of: AnyPublisher<Int, TestError>.fail(TestError())) == ["test error"])
    #expect(log(of: AnyPublisher<Int, TestError>.empty) == ["finished"])
    #expect(log(of: AnyPublisher<Int, TestError>.never) == [])
    #expect(log(of: Fail<Int, TestError>(error: TestError()).asResult()) == ["failure(test error)", "finished"])
    #expect(log(of: Just(1).then { Just($0 + 1).setFailureType(to: (any Error).self) }) == ["2", "finished"])
    #expect(log(of: Just(1).mapToVoid()) == ["()", "finished"])
    #expect(log(of: [1, nil].publisher.unwrapped(or: 0)) == ["1", "0", "finished"])
    #expect(log(of: [Just(1), Just(2)].merged()) == ["1", "2", "finished"])
    #expect(log(of: [Just(1), Just(2)].concatenated()) == ["1", "2", "finished"])
  }

  @Test func assigningWithoutRetaining() {
    final class Model { var name = "" }
    let subject = PassthroughSubject<String, Never>()
    var model: Model? = Model()
    weak let reference = model
    let cancellable = subject.weakAssign(to: \.name, on: model!)
    subject.send("a")
    #expect(model?.name == "a")
    model = nil
    #expect(reference == nil)
    subject.send("b")
    cancellable.cancel()
  }
}
