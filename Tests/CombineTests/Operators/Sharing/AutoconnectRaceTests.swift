import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("autoconnect, while connecting")
struct AutoconnectRaceTests {
  /// Has one connection however often it is connected, as a timer does.
  final class OneConnection: ConnectablePublisher, Cancellable {
    typealias Output = Int
    typealias Failure = Never

    let subject = PassthroughSubject<Int, Never>()
    var isConnected = false
    var onConnect: () -> Void = {}

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      subject.subscribe(subscriber)
    }

    func connect() -> any Cancellable {
      let onConnect = self.onConnect
      self.onConnect = {}
      onConnect()
      isConnected = true
      return self
    }

    func cancel() { isConnected = false }
  }

  @Test func whoComesWhileAnotherConnectsKeepsTheConnection() {
    let source = OneConnection()
    let shared = source.autoconnect()
    let (first, second) = (RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>())
    source.onConnect = {
      first.cancel()
      shared.subscribe(second)
    }
    shared.subscribe(first)
    #expect(source.isConnected)
    second.cancel()
    #expect(!source.isConnected)
  }

  @Test func aConnectionStaysThoughItsSubscriberCancelsWhileItIsMade() {
    let source = OneConnection()
    let shared = source.autoconnect()
    let first = RecordingSubscriber<Int, Never>()
    source.onConnect = { first.cancel() }
    shared.subscribe(first)
    #expect(source.isConnected)
    source.onConnect = { Issue.record("connects twice") }
    let second = shared.recorded()
    #expect(source.isConnected)
    second.cancel()
    #expect(!source.isConnected)
  }

  @Test func aConnectionIsCancelledIfAnotherThreadsCancellationLeavesNobody() {
    let source = OneConnection()
    let shared = source.autoconnect()
    let first = RecordingSubscriber<Int, Never>()
    source.onConnect = { onOtherThread { first.cancel() } }
    shared.subscribe(first)
    #expect(!source.isConnected)
    let second = shared.recorded()
    #expect(source.isConnected)
    second.cancel()
  }
}
