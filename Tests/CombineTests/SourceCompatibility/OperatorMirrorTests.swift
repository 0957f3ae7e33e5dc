import Combine
import Testing

/// What operators' subscribers show of themselves, under the labels that Apple's have.
@Suite struct OperatorMirrorTests {
  private typealias Source = ManualPublisher<Int, TestError>

  private func labels(_ mirror: Mirror) -> [String?] { mirror.children.map(\.label) }

  /// The mirror of the subscriber that an operator attaches to its upstream, after some values.
  private func shown<P: Publisher>(
    after values: [Int] = [], subscribes: Bool = true, _ make: (Source) -> P
  ) throws -> Mirror {
    let source = Source(subscribes: subscribes)
    let recorder = make(source).recorded()
    for value in values { source.send(value) }
    return try withExtendedLifetime(recorder) { try #require(source.subscriber).customMirror }
  }

  @Test func subscriberAndHowFarItIs() throws {
    for mirror in [
      try shown { $0.handleEvents() }, try shown { $0.replaceError(with: 0) },
    ] {
      #expect(labels(mirror) == ["downstream", "status"])
      #expect(mirror.descendant("downstream") is any Subscriber)
      #expect(mirror.descendant("status").map { "\($0)" } == "subscribed(ManualSubscription)")
    }
  }

  @Test func operatorsWithoutStateShowNothing() throws {
    #expect(labels(try shown { $0.map { $0 } }) == [])
    #expect(labels(try shown { $0.filter { _ in true } }) == [])
    #expect(labels(try shown { $0.compactMap { $0 } }) == [])
    #expect(labels(try shown { $0.ignoreOutput() }) == [])
    #expect(labels(try shown { $0.mapError { $0 } }) == [])
  }
}

/// What the subscribers of an operator's further publishers are called: the same as the first one's.
@Suite struct SecondSubscriberTests {
  private typealias Source = ManualPublisher<Int, TestError>

  private func expectName<Failure: Error>(
    of source: ManualPublisher<Int, Failure>, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let subscriber = try #require(source.attached, sourceLocation: sourceLocation)
    #expect("\(subscriber)" == name, sourceLocation: sourceLocation)
    let forPlaygrounds = (subscriber as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription
    #expect(forPlaygrounds as? String == name, sourceLocation: sourceLocation)
  }

  @Test func afterAFailure() throws {
    for name in ["Catch", "TryCatch"] {
      let (first, second) = (Source(), Source())
      let recorder =
        name == "Catch"
        ? first.catch { _ in second }.mapError { $0 as any Error }.eraseToAnyPublisher().recorded()
        : first.tryCatch { _ in second }.eraseToAnyPublisher().recorded()
      first.send(completion: .failure(TestError()))
      try expectName(of: second, name)
      withExtendedLifetime(recorder) {}
    }
  }

  @Test func afterTheEndOfTheFirst() throws {
    let suffix = Source()
    let recorder = Empty<Int, TestError>().append(suffix).recorded()
    try expectName(of: suffix, "Concatenate")
    withExtendedLifetime(recorder) {}
  }

  @Test func ofTheOther() throws {
    let (source, other) = (Source(), Source())
    let prefix = source.prefix(untilOutputFrom: other).recorded()
    try expectName(of: other, "PrefixUntilOutput")
    let drop = source.drop(untilOutputFrom: other).recorded()
    try expectName(of: other, "DropUntilOutput")
    withExtendedLifetime((prefix, drop)) {}
  }
}
