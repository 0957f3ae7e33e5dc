import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MapKeyPathTests {
  private struct Point {
    var x: Int
    var y: String
    var z: Double
  }

  private let points = [Point(x: 1, y: "a", z: 0.5), Point(x: 2, y: "b", z: 1.5)].publisher

  @Test func oneKeyPathGivesItsValue() {
    let publisher: Publishers.MapKeyPath<Publishers.Sequence<[Point], Never>, Int> = points.map(\.x)
    #expect(publisher.keyPath == \Point.x)
    #expect(publisher.recorded().log == ["1", "2", "finished"])
  }

  @Test func twoGiveAPair() {
    let publisher = points.map(\.x, \.y)
    #expect(publisher.keyPath0 == \Point.x)
    #expect(publisher.keyPath1 == \Point.y)
    #expect(publisher.recorded().log == ["(1, \"a\")", "(2, \"b\")", "finished"])
  }

  @Test func threeGiveATriple() {
    let publisher = points.map(\.x, \.y, \.z)
    #expect(publisher.keyPath2 == \Point.z)
    #expect(publisher.recorded().log == ["(1, \"a\", 0.5)", "(2, \"b\", 1.5)", "finished"])
  }

  @Test func subscriberIsNamedForTheKeysAndUpstreamsSubscriptionHandedOn() {
    let source = TestPublisher<Point, TestError>(keepsSubscribers: true)
    let one = source.map(\.x).recorded()
    #expect(source.subscription?.subscriber.map { "\($0)" } == "ValueForKey")
    let two = source.map(\.x, \.y).recorded()
    #expect(source.subscription?.subscriber.map { "\($0)" } == "ValueForKeys")
    let three = source.map(\.x, \.y, \.z).recorded()
    let subscriber = source.subscription?.subscriber as? any CustomPlaygroundDisplayConvertible
    #expect(subscriber?.playgroundDescription as? String == "ValueForKeys")
    for subscriptions in [one.subscriptionNames, two.subscriptionNames, three.subscriptionNames] {
      #expect(subscriptions == ["TestSubscription"])
    }
  }

  @Test func demandFailureAndCancellationPass() {
    let source = TestPublisher<Point, TestError>(keepsSubscribers: true)
    let one = source.map(\.x).recorded(demand: .max(2))
    #expect(source.requests == [.max(2)])
    source.send(completion: .failure(TestError()))
    #expect(one.log == ["test error"])
    let two = source.map(\.x, \.y).recorded(demand: .max(3))
    two.cancel()
    let three = source.map(\.x, \.y, \.z).recorded(demand: .max(4))
    three.cancel()
    #expect(source.requests == [.max(2), .max(3), .max(4)])
    #expect(source.cancellations.count == 2)
  }
}
