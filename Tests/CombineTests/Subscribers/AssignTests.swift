import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Assign")
struct AssignTests {
  final class Model {
    var log: [Int] = []
    let token: LifetimeCounter.Token?
    var onSet: (() -> Void)?
    init(_ token: LifetimeCounter.Token? = nil) { self.token = token }

    var value = 0 {
      didSet {
        log.append(value)
        onSet?()
      }
    }
  }

  @Test func assignsEveryValueAndAsksForAll() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let model = Model()
    let cancellable = upstream.assign(to: \.value, on: model)
    #expect(upstream.requests == [.unlimited])
    upstream.send(1)
    upstream.send(2)
    #expect(model.log == [1, 2])
    cancellable.cancel()
    upstream.send(3)
    #expect(model.log == [1, 2])
    #expect(upstream.cancellations.count == 1)
  }

  @Test(arguments: ["completion", "cancellation"])
  func letsGoOfTheObjectAtTheEnd(ending: String) {
    let lifetime = LifetimeCounter()
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let assign = {
      let model = Model(lifetime.make())
      return Subscribers.Assign(object: model, keyPath: \.value)
    }()
    upstream.subscribe(assign)
    #expect(lifetime.count == 1)
    #expect(assign.object != nil)
    if ending == "completion" { upstream.send(completion: .finished) } else { assign.cancel() }
    #expect(lifetime.count == 0)
    #expect(assign.object == nil)
  }

  @Test func aSecondSubscriptionIsCancelled() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true)
    let assign = Subscribers.Assign(object: Model(), keyPath: \.value)
    upstream.subscribe(assign)
    upstream.subscription?.sendSubscription()
    #expect(upstream.cancellations.count == 1)
  }

  @Test func aSetterMayCancel() {
    let subject = PassthroughSubject<Int, Never>()
    let model = Model()
    let cancellable = subject.assign(to: \.value, on: model)
    model.onSet = { cancellable.cancel() }
    subject.send(1)
    subject.send(2)
    #expect(model.log == [1])
  }

  @Test func describesItself() {
    let assign = Subscribers.Assign(object: Model(), keyPath: \.value)
    #expect(assign.description == "Assign Model.")
    #expect(assign.playgroundDescription as? String == "Assign Model.")
    #expect(assign.customMirror.descendant("object") is Model)
  }

  @Test func aCompletionBeforeTheSubscriptionCountsForNothing() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
    let model = Model()
    let assign = Subscribers.Assign(object: model, keyPath: \.value)
    upstream.subscribe(assign)
    upstream.send(completion: .finished)
    #expect(assign.object === model)
    upstream.subscription?.sendSubscription()
    #expect(upstream.cancellations.isEmpty)
    #expect(upstream.requests == [.unlimited])
    upstream.send(1)
    #expect(model.log == [1])
  }

  @Test func aCancellationBeforeTheSubscriptionCancelsIt() {
    let upstream = TestPublisher<Int, Never>(keepsSubscribers: true, sendsSubscriptions: false)
    let assign = Subscribers.Assign(object: Model(), keyPath: \.value)
    upstream.subscribe(assign)
    assign.cancel()
    #expect(assign.object == nil)
    upstream.subscription?.sendSubscription()
    #expect(upstream.cancellations.count == 1)
    #expect(upstream.requests == [])
  }
}
