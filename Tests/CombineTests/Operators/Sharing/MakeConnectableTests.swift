import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MakeConnectableTests {
  @Test func nothingIsDeliveredBeforeTheConnection() {
    let source = TestPublisher<Int, Never>(keepsSubscribers: true)
    let connectable = source.makeConnectable()
    let (one, two) = (connectable.recorded(), connectable.recorded())
    #expect(source.subscriptions.isEmpty)
    let connection = connectable.connect()
    source.send(1)
    #expect(one.log == ["1"])
    #expect(two.log == ["1"])
    connection.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func copiesShareTheConnection() {
    let connectable: Publishers.MakeConnectable<Publishers.Sequence<[Int], Never>> = [1, 2].publisher.makeConnectable()
    let copy = connectable
    let recorder = connectable.recorded()
    let connection = copy.connect()
    #expect(recorder.log == ["1", "2", "finished"])
    withExtendedLifetime(connection) {}
  }

  @Test func connectsByItselfWithAutoconnect() {
    #expect([1, 2].publisher.makeConnectable().autoconnect().recorded().log == ["1", "2", "finished"])
  }
}
