import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MergeManyTests {
  @Test func noPublishersFinishAtOnce() {
    let recorder = Publishers.MergeMany<Just<Int>>([]).recorded(demand: .none)
    #expect(recorder.log == ["finished"])
    #expect(recorder.subscriptionNames == ["Merge"])
  }

  @Test func sequencesComeOneAfterTheOther() {
    let recorder = Publishers.MergeMany([1, 2].publisher, [3].publisher, [4, 5].publisher).recorded()
    #expect(recorder.log == ["1", "2", "3", "4", "5", "finished"])
  }

  @Test func anotherIsMergedIntoTheSameStep() {
    let merged: Publishers.MergeMany<Just<Int>> = Publishers.MergeMany(Just(1), Just(2)).merge(with: Just(3))
    #expect(merged.publishers == [Just(1), Just(2), Just(3)])
    #expect(merged.recorded().log == ["1", "2", "3", "finished"])
  }

  @Test func valuesOfManyAreHeldBackOneOfEach() {
    let sources = (0..<100).map { _ in TestPublisher<Int, Never>(keepsSubscribers: true) }
    let recorder = Publishers.MergeMany(sources).recorded(demand: .none)
    for (index, source) in sources.enumerated() {
      #expect(source.requests == [.max(1)])
      #expect(source.send(index) == .none)
    }
    recorder.request(.max(60))
    #expect(recorder.values == Array(0..<60))
    #expect(sources.map(\.requests.count) == (0..<100).map { $0 < 60 ? 2 : 1 })
  }

  @Test func publishersLeaveInAnyOrder() {
    var random = Random(7)
    let sources = (0..<50).map { _ in TestPublisher<Int, Never>(keepsSubscribers: true) }
    let recorder = Publishers.MergeMany(sources).recorded()
    for (number, source) in sources.shuffled(using: &random).enumerated() {
      source.send(number)
      source.send(completion: .finished)
    }
    #expect(recorder.values == Array(0..<50))
    #expect(recorder.completions == 1)
    #expect(sources.allSatisfy { $0.cancellations.isEmpty })
  }
}
