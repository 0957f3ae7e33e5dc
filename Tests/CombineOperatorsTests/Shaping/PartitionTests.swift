import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct PartitionTests {
  @Test func valuesAreDivided() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    var calls = 0
    let parts = source.partition {
      calls += 1
      return $0.isMultiple(of: 2)
    }
    let (even, odd) = (parts.matches.recorded(), parts.nonMatches.recorded())
    for value in 1...4 { source.send(value) }
    source.send(completion: .failure(TestError("no")))
    #expect(even.log == ["2", "4", "no"])
    #expect(odd.log == ["1", "3", "no"])
    #expect(source.subscriptions.count == 1)
    #expect(calls == 4)
  }

  @Test(arguments: [true, false]) func partsFollowTheRulesOfPublishers(isMatches: Bool) async throws {
    var options = PublisherVerification.Options.patient
    options.surplus = .isDropped
    try await PublisherVerification.verify(
      options: options,
      make: { count in
        let subject = PassthroughSubject<Int, TestError>()
        let parts = subject.partition { $0.isMultiple(of: 2) == isMatches }
        return PublisherUnderTest(isMatches ? parts.matches : parts.nonMatches) {
          for number in 0..<2 * count { subject.send(number) }
          subject.send(completion: .finished)
        }
      },
      failing: {
        let parts = Fail<Int, TestError>(error: TestError()).partition { _ in isMatches }
        return PublisherUnderTest(isMatches ? parts.matches : parts.nonMatches)
      })
  }
}
