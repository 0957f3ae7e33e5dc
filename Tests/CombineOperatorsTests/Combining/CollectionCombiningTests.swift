import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CollectionCombiningTests {
  private let subjects = (0..<3).map { _ in PassthroughSubject<Int, TestError>() }

  @Test func zipDeliversOneOfEachInTheirOrder() {
    let recorder = subjects.zip().recorded()
    subjects[2].send(30)
    subjects[0].send(10)
    subjects[0].send(11)
    #expect(recorder.values.isEmpty)
    subjects[1].send(20)
    subjects[1].send(21)
    subjects[2].send(31)
    #expect(recorder.values == [[10, 20, 30], [11, 21, 31]])
  }

  @Test func zipFinishesWhenNoMoreCanBeJoined() {
    let recorder = subjects.zip().recorded()
    subjects[0].send(1)
    subjects[0].send(completion: .finished)
    subjects[1].send(2)
    #expect(recorder.completions == 0)
    subjects[2].send(3)
    #expect(recorder.log == ["[1, 2, 3]", "finished"])
  }

  @Test func zipRequestsTheDemandFromEach() {
    let sources = (0..<3).map { _ in TestPublisher<Int, TestError>(keepsSubscribers: true) }
    let recorder = sources.zip().recorded(demand: .max(2))
    for source in sources { #expect(source.requests == [.max(2)]) }
    recorder.cancel()
    for source in sources { #expect(source.cancellations.count == 1) }
  }

  @Test func zipWithOthersIsTheSame() {
    let listed = subjects[0].zip(with: subjects[1], subjects[2]).recorded()
    let collected = subjects[0].zip(with: [subjects[1], subjects[2]]).recorded()
    for (number, subject) in subjects.enumerated() { subject.send(number) }
    #expect(listed.values == [[0, 1, 2]])
    #expect(collected.values == [[0, 1, 2]])
  }

  @Test func combineLatestDeliversTheLatestOfEach() {
    let recorders = [
      subjects.combineLatest().recorded(), subjects[0].combineLatest(with: subjects[1], subjects[2]).recorded(),
      subjects[0].combineLatest(with: [subjects[1], subjects[2]]).recorded(),
    ]
    for (number, subject) in subjects.enumerated() { subject.send(number) }
    subjects[1].send(9)
    subjects[0].send(completion: .finished)
    subjects[1].send(completion: .finished)
    for recorder in recorders { #expect(recorder.log == ["[0, 1, 2]", "[0, 9, 2]"]) }
    subjects[2].send(completion: .finished)
    for recorder in recorders { #expect(recorder.isFinished) }
  }

  @Test func valueSentDuringABufferedArrayFollowsIt() {
    let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    var (arrays, depth): ([[Int]], Int) = ([], 0)
    var nested: [[Int]] = []
    let subscription = Shared<(any Subscription)?>(nil)
    [left, right].combineLatest().subscribe(
      AnySubscriber {
        subscription.value = $0
        $0.request(.max(3))
      } receiveValue: {
        if depth > 0 { nested.append($0) }
        depth += 1
        arrays.append($0)
        if $0 == [3, 2] { right.send(9) }
        depth -= 1
        return .none
      })
    left.send(1)
    right.send(1)
    left.send(2)
    left.send(3)
    right.send(2)
    subscription.value?.request(.max(2))
    #expect(arrays == [[1, 1], [2, 1], [3, 1], [3, 2], [3, 9]])
    #expect(nested.isEmpty)
  }

  @Test func mergeDeliversTheValuesOfAll() {
    let recorder = subjects.merge().recorded()
    for (number, subject) in subjects.enumerated().reversed() { subject.send(number) }
    #expect(recorder.values == [2, 1, 0])
  }

  @Test func emptyCollectionsFinish() {
    let none: [PassthroughSubject<Int, TestError>] = []
    #expect(none.zip().recorded().log == ["finished"])
    #expect(none.combineLatest().recorded().log == ["finished"])
    #expect(none.merge().recorded().log == ["finished"])
    #expect(none.flatMapBatches(of: 2).recorded().log == ["finished"])
  }

  @Test func batchesAreSubscribedToOneAfterTheOther() {
    let recorder = subjects.flatMapBatches(of: 2).recorded()
    subjects[2].send(0)
    subjects[1].send(2)
    subjects[0].send(1)
    subjects[0].send(completion: .finished)
    subjects[2].send(3)
    subjects[2].send(completion: .finished)
    #expect(recorder.log == ["[1, 2]", "[3]", "finished"])
  }

  @Test func failureEndsTheBatches() {
    let recorder = subjects.flatMapBatches(of: 2).recorded()
    subjects[1].send(completion: .failure(TestError("one")))
    #expect(recorder.log == ["one"])
  }

  @Test func zipFollowsTheRulesOfOperators() {
    expectOperatorRules("Zip.Subscription<Array<Int>, TestError>") { upstream, token in
      [
        upstream.map { value in
          token.touch()
          return value
        }
        .eraseToAnyPublisher()
      ].zip()
    }
  }

  @Test func valueDuringACancellationAtTheEndIsDropped() {
    let zipped = [
      subjects[0].eraseToAnyPublisher(),
      subjects[1].handleEvents(receiveCancel: { [subjects] in
        subjects[2].send(1)
        subjects[2].send(2)
      }).eraseToAnyPublisher(),
      subjects[2].eraseToAnyPublisher(),
    ].zip().recorded()
    subjects[0].send(completion: .finished)
    #expect(zipped.log == ["finished"])
  }

  @Test func combineLatestRequestsTheDemandFromEach() {
    let sources = (0..<3).map { _ in TestPublisher<Int, TestError>(keepsSubscribers: true) }
    let recorder = sources.combineLatest().recorded(demand: .max(1))
    for source in sources { #expect(source.requests == [.max(1)]) }
    for (number, source) in sources.enumerated() { source.send(number) }
    sources[1].send(8)
    sources[1].send(9)
    #expect(recorder.values == [[0, 1, 2]])
    recorder.request(.max(1))
    #expect(recorder.values == [[0, 1, 2], [0, 9, 2]])
    recorder.cancel()
    for source in sources { #expect(source.cancellations.count == 1) }
  }

  @Test func valueInsideADeliveryIsJoinedAfterIt() {
    let recorder = RecordingSubscriber<[Int], TestError>()
    recorder.onValue = { [subjects] in
      if $0[0] < 3 { subjects[0].send($0[0] + 1) }
      if $0[0] < 3 { subjects[1].send($0[0] + 1) }
    }
    let plain = RecordingSubscriber<[Int], TestError>()
    plain.onValue = recorder.onValue
    subjects[..<2].combineLatest().subscribe(recorder)
    subjects[0].send(1)
    subjects[1].send(1)
    #expect(recorder.values == [[1, 1], [2, 2]])
    recorder.cancel()
    subjects[0].combineLatest(subjects[1]) { [$0, $1] }.subscribe(plain)
    subjects[0].send(1)
    subjects[1].send(1)
    #expect(recorder.values == plain.values)
  }

  @Test func endInsideADeliveryFollowsTheValueBeforeIt() {
    let recorder = RecordingSubscriber<[Int], TestError>()
    recorder.onValue = { [subjects] in
      guard $0 == [1, 1] else { return }
      subjects[0].send(2)
      for subject in subjects[..<2] { subject.send(completion: .finished) }
    }
    subjects[..<2].combineLatest().subscribe(recorder)
    for subject in subjects[..<2] { subject.send(1) }
    #expect(recorder.log == ["[1, 1]", "[2, 1]", "finished"])
  }

  @Test func failureInsideADeliveryFollowsTheValueBeforeIt() {
    let recorder = RecordingSubscriber<[Int], TestError>()
    recorder.onValue = { [subjects] in
      guard $0 == [1, 1] else { return }
      subjects[1].send(2)
      subjects[0].send(completion: .failure(TestError("no")))
    }
    subjects[..<2].combineLatest().subscribe(recorder)
    for subject in subjects[..<2] { subject.send(1) }
    #expect(recorder.log == ["[1, 1]", "[1, 2]", "no"])
  }

  @Test func failureOfOneEndsCombineLatest() {
    let recorder = subjects.combineLatest().recorded()
    for subject in subjects { subject.send(1) }
    subjects[2].send(completion: .failure(TestError("no")))
    subjects[0].send(2)
    #expect(recorder.log == ["[1, 1, 1]", "no"])
  }

  @Test func manyPublishersAreCombinedWithoutAnOperatorForEach() {
    let many = (0..<2_000).map { _ in PassthroughSubject<Int, Never>() }
    let recorder = many.combineLatest().recorded()
    for (number, subject) in many.enumerated() { subject.send(number) }
    #expect(recorder.values == [Array(0..<2_000)])
  }

  @Test func combineLatestFollowsTheRulesOfOperators() {
    expectOperatorRules("CombineLatest.Subscription<Array<Int>, TestError>") { upstream, token in
      [
        upstream.map { value in
          token.touch()
          return value
        }
        .eraseToAnyPublisher()
      ].combineLatest()
    }
  }
}
