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

  @Test func catchShowsTheDemandThatGoesOver() throws {
    #expect(labels(try shown { $0.tryCatch { _ in Just(1) } }) == ["downstream", "demand"])
    let source = Source()
    let recorder = source.catch { _ in Just(1) }.recorded(demand: .none)
    func demand() -> Subscribers.Demand? {
      source.subscriber?.customMirror.descendant("demand") as? Subscribers.Demand
    }
    #expect(demand() == Subscribers.Demand.none)
    recorder.request(.max(3))
    source.send(7)
    #expect(demand() == .max(2))
    recorder.request(.unlimited)
    #expect(demand() == .unlimited)
  }

  @Test func operatorsWithoutStateShowNothing() throws {
    #expect(labels(try shown { $0.map { $0 } }) == [])
    #expect(labels(try shown { $0.filter { _ in true } }) == [])
    #expect(labels(try shown { $0.compactMap { $0 } }) == [])
    #expect(labels(try shown { $0.ignoreOutput() }) == [])
    #expect(labels(try shown { $0.mapError { $0 } }) == [])
  }
}

/// What the subscribers of an operator's further publishers show of themselves: the same as the first one's.
@Suite struct SecondSubscriberTests {
  private typealias Source = ManualPublisher<Int, TestError>

  private struct OtherError: Error {}

  private func expectShown<Output, Failure: Error>(
    by source: ManualPublisher<Output, Failure>, _ name: String, _ labels: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let subscriber = try #require(source.attached, sourceLocation: sourceLocation)
    #expect("\(subscriber)" == name, sourceLocation: sourceLocation)
    let forPlaygrounds = (subscriber as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription
    #expect(forPlaygrounds as? String == name, sourceLocation: sourceLocation)
    let mirror = try #require(subscriber as? any CustomReflectable, sourceLocation: sourceLocation).customMirror
    #expect(mirror.children.map(\.label) == labels, sourceLocation: sourceLocation)
  }

  @Test func afterAFailure() throws {
    let (first, caught) = (Source(), Source())
    let recorder = first.catch { _ in caught }.recorded(demand: .max(2))
    first.send(completion: .failure(TestError()))
    try expectShown(by: caught, "Catch", ["downstream", "demand"])
    let demand = caught.subscriber?.customMirror.descendant("demand")
    #expect(demand as? Subscribers.Demand == .max(2))

    let (second, tried) = (Source(), ManualPublisher<Int, OtherError>())
    let other = second.tryCatch { _ in tried }.recorded()
    second.send(completion: .failure(TestError()))
    try expectShown(by: tried, "TryCatch", ["downstream", "demand"])
    tried.send(3)
    tried.send(completion: .failure(OtherError()))
    #expect(other.log == ["3", "OtherError()"])
    withExtendedLifetime(recorder) {}
  }

  @Test func afterTheEndOfTheFirst() throws {
    let suffix = Source()
    let recorder = Empty<Int, TestError>().append(suffix).recorded()
    try expectShown(by: suffix, "Concatenate", ["downstream", "status"])
    withExtendedLifetime(recorder) {}
  }

  @Test func ofTheSignal() throws {
    let (source, signal) = (Source(), Source())
    let prefix = source.prefix(untilOutputFrom: signal).recorded()
    try expectShown(by: signal, "PrefixUntilOutput", ["downstream", "status"])
    let drop = source.drop(untilOutputFrom: signal).recorded()
    try expectShown(by: signal, "DropUntilOutput", ["downstream", "status"])
    withExtendedLifetime((prefix, drop)) {}
  }
}
