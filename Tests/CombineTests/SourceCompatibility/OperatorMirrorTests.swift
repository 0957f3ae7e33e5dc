import Combine
import Foundation
import InterflowTestSupport
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
      try shown { $0.filter { _ in true } }, try shown { $0.compactMap { $0 } }, try shown { $0.handleEvents() },
      try shown { $0.replaceError(with: 0) }, try shown { $0.ignoreOutput() },
    ] {
      #expect(labels(mirror) == ["downstream", "status"])
      #expect(mirror.descendant("downstream") is any Subscriber)
      #expect(mirror.descendant("status").map { "\($0)" } == "subscribed(ManualSubscription)")
    }
  }

  @Test func reducingOperatorsShowTheirResultAndTheFirst() throws {
    let mirror = try shown(after: [5]) { $0.reduce(10, +) }
    #expect(labels(mirror) == ["downstream", "result", "initial", "status"])
    #expect(mirror.descendant("result", "some") as? Int == 15)
    #expect(mirror.descendant("initial", "some") as? Int == 10)
    for mirror in [
      try shown { $0.collect() }, try shown { $0.max() }, try shown { $0.first() },
      try shown { $0.tryLast { _ in true } }, try shown { $0.contains(1) },
    ] {
      #expect(labels(mirror) == ["downstream", "result", "initial", "status"])
    }
    #expect(try shown { $0.allSatisfy { _ in true } }.descendant("initial", "some") as? Bool == true)
    #expect(try shown(after: [1]) { $0.collect() }.descendant("initial", "some") as? [Int] == [])
    #expect(try shown { $0.max() }.descendant("initial", "some") == nil)
  }

  @Test func scansShowTheirResult() throws {
    let mirror = try shown(after: [5]) { $0.scan(10, +) }
    #expect(labels(mirror) == ["downstream", "result"])
    #expect(mirror.descendant("result") as? Int == 15)
    #expect(labels(try shown { $0.tryScan(0) { $0 + $1 } }) == ["downstream", "status", "result"])
  }

  @Test func removeDuplicatesShowsTheLastValue() throws {
    for mirror in [
      try shown(after: [5]) { $0.removeDuplicates() }, try shown(after: [5]) { $0.tryRemoveDuplicates { $0 == $1 } },
    ] {
      #expect(labels(mirror) == ["downstream", "last"])
      #expect(mirror.descendant("last", "some") as? Int == 5)
    }
  }

  @Test func collectByCountShowsWhatItHolds() throws {
    let waiting = try shown(subscribes: false) { $0.collect(3) }
    #expect(labels(waiting) == ["downstream", "upstreamSubscription", "buffer", "count"])
    #expect(waiting.descendant("upstreamSubscription").map { "\($0)" } == "nil")
    let mirror = try shown(after: [5]) { $0.collect(3) }
    #expect(mirror.descendant("upstreamSubscription", "some").map { "\($0)" } == "ManualSubscription")
    #expect(mirror.descendant("buffer") as? [Int] == [5])
    #expect(mirror.descendant("count") as? Int == 3)
  }

  @Test func codersShowWhetherTheyHaveFinished() throws {
    let source = Source()
    let encoded = source.encode(encoder: JSONEncoder()).recorded()
    let running = try #require(source.subscriber).customMirror
    #expect(labels(running) == ["downstream", "finished", "upstreamSubscription"])
    #expect(running.descendant("finished") as? Bool == false)
    #expect(running.descendant("upstreamSubscription", "some").map { "\($0)" } == "ManualSubscription")
    source.send(completion: .finished)
    let finished = try #require(source.subscriber).customMirror
    #expect(finished.descendant("finished") as? Bool == true)
    #expect(finished.descendant("upstreamSubscription").map { "\($0)" } == "nil")

    let data = ManualPublisher<Data, TestError>()
    let decoded = data.decode(type: Int.self, decoder: JSONDecoder()).recorded()
    #expect(labels(try #require(data.subscriber).customMirror) == ["downstream", "finished", "upstreamSubscription"])
    withExtendedLifetime((encoded, decoded)) {}
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

  @Test func keyPathsAreShown() throws {
    let one = try shown { $0.map(\.magnitude) }
    #expect(labels(one) == ["keyPath"])
    #expect(one.descendant("keyPath") as? KeyPath<Int, UInt> == \.magnitude)
    #expect(labels(try shown { $0.map(\.magnitude, \.bitWidth) }) == ["keyPath0", "keyPath1"])
    let three = try shown { $0.map(\.magnitude, \.bitWidth, \.description) }
    #expect(labels(three) == ["keyPath0", "keyPath1", "keyPath2"])
  }

  @Test func assertNoFailureShowsItsPlace() throws {
    let mirror = try shown { $0.assertNoFailure("here", file: "A.swift", line: 7) }
    #expect(labels(mirror) == ["file", "line", "prefix"])
    #expect(mirror.descendant("prefix") as? String == "here")
    #expect(mirror.descendant("line") as? UInt == 7)
  }

  @Test func operatorsWithoutStateShowNothing() throws {
    #expect(labels(try shown { $0.map { $0 } }) == [])
    #expect(labels(try shown { $0.tryMap { $0 } }) == [])
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
