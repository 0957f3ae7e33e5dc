import InterflowPrimitives
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import Combine

@Suite("SerialSubscription")
struct SerialSubscriptionTests {
  /// Counts what its base class calls it with.
  final class Probe: SerialSubscription<Int, RecordingSubscriber<Int, TestError>> {
    var tags: [Int] = []
    // Several threads may forward what they have requested.
    private let forwarded = Shared<[Subscribers.Demand]>([])
    var more: [Subscribers.Demand] { forwarded.value }
    var cancellations = 0

    override func didDeliver(_ tag: Int) { tags.append(tag) }
    override func forward(_ more: Subscribers.Demand) { if more != .none { forwarded.update { $0.append(more) } } }
    override func cancelInputs() { cancellations += 1 }

    /// As operators do that join publishers.
    func send(_ value: Int) {
      let me = currentThreadIdentity()
      let previous = core.turn.enter(me)
      if let more = deliverAtOnce(value) {
        if more != .none { addUnforwarded(more) }
      } else {
        buffer(value, value)
      }
      leaveTurn(me, previous)
    }
  }

  enum Policy: CaseIterable {
    case nests, queues
  }

  /// What it is to do, over arrays.
  private final class Model {
    var buffer: [Int] = []
    var log: [String] = []
    var isOver = false
    private let nests: Bool
    private var demand = 0
    private var terminal: String?
    private var depth = 0
    private let act: (Int, Model) -> Void

    init(nests: Bool, act: @escaping (Int, Model) -> Void) {
      self.nests = nests
      self.act = act
    }

    func send(_ value: Int) {
      guard !isOver else { return }
      if terminal == nil { buffer.append(value) }
      if nests || depth == 0 { deliver() }
    }

    func request(_ count: Int) {
      guard !isOver else { return }
      demand += count
      if depth == 0 { deliver() }
    }

    func finish(_ completion: String, dropsUnrequested: Bool) {
      guard !isOver, terminal == nil else { return }
      terminal = completion
      if dropsUnrequested { buffer = Array(buffer.prefix(demand)) }
      if nests || depth == 0 { deliver() }
    }

    func cancel() {
      isOver = true
      buffer = []
    }

    private func deliver() {
      while !isOver {
        guard demand > 0, !buffer.isEmpty else {
          guard buffer.isEmpty, let terminal else { return }
          log.append(terminal)
          return isOver = true
        }
        demand -= 1
        let value = buffer.removeFirst()
        log.append("\(value)")
        depth += 1
        act(value, self)
        depth -= 1
        log.append("end \(value)")
      }
    }
  }

  @Test(arguments: Policy.allCases, 0..<150)
  func behavesAsItsModelDoes(policy: Policy, seed: UInt64) {
    var random = Random(seed)
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    let probe = Probe(recorder, "Test")
    func send(_ value: Int) {
      if policy == .nests { probe.send(value) } else { probe.enqueue(value, value) }
    }
    func finish(dropsUnrequested: Bool) {
      let completion: Subscribers.Completion<TestError> = dropsUnrequested ? .failure(TestError()) : .finished
      if policy == .nests {
        probe.finish(completion, dropsUnrequested: dropsUnrequested)
      } else {
        probe.finishAfterBuffered(completion, dropsUnrequested: dropsUnrequested)
      }
    }
    var log: [String] = []
    // What a delivery does from inside is decided by the value, so that the model can do it too.
    recorder.onValue = { value in
      log.append("\(value)")
      if value % 3 == 0 { probe.request(.max(1)) }
      if value % 5 == 0, value < 3_000 { send(value + 1_003) }
      if value % 7 == 0, value < 3_000 { send(value + 1_001) }
      if value % 139 == 0, value > 0 { finish(dropsUnrequested: value % 2 == 0) }
      if value % 137 == 0, value > 0 { probe.cancel() }
      log.append("end \(value)")
    }
    recorder.onCompletion = { log.append($0 == .finished ? "finished" : "failed") }
    let model = Model(nests: policy == .nests) { value, model in
      if value % 3 == 0 { model.request(1) }
      if value % 5 == 0, value < 3_000 { model.send(value + 1_003) }
      if value % 7 == 0, value < 3_000 { model.send(value + 1_001) }
      if value % 139 == 0, value > 0 {
        model.finish(value % 2 == 0 ? "failed" : "finished", dropsUnrequested: value % 2 == 0)
      }
      if value % 137 == 0, value > 0 { model.cancel() }
    }
    for next in 0..<400 {
      if Int.random(in: 0..<5, using: &random) < 3 {
        send(next)
        model.send(next)
      } else {
        let count = Int.random(in: 1...3, using: &random)
        probe.request(.max(count))
        model.request(count)
      }
      #expect(log == model.log)
      #expect(probe.signals.elements.count == model.buffer.count)
      if model.isOver { break }
    }
    #expect((probe.downstream == nil) == model.isOver)
    #expect(probe.cancellations == (model.isOver ? 1 : 0))
  }

  @Test func tellsItsSubclassWhatWasDeliveredAndRequested() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none) { $0 == 2 ? .max(1) : .none }
    let probe = Probe(recorder, "Test")
    probe.send(1)
    probe.request(.max(2))
    #expect(probe.tags == [1])
    probe.send(2)
    #expect(probe.tags == [1])
    #expect(probe.more == [.max(2), .max(1)])
    probe.send(3)
    probe.send(4)
    #expect(recorder.values == [1, 2, 3])
  }

  @Test(arguments: Policy.allCases) func sendersAndRequestersOnSeveralThreadsLoseNothing(policy: Policy) {
    for _ in 0..<50 {
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      let probe = UncheckedBox(Probe(recorder, "Test"))
      inParallel(4) { thread in
        for number in 0..<100 {
          if thread >= 2 {
            probe.value.request(.max(1))
          } else if policy == .nests {
            probe.value.send(thread * 1_000 + number)
          } else {
            probe.value.enqueue(thread * 1_000 + number, 0)
          }
        }
      }
      #expect(recorder.values.count == 200)
      for thread in 0..<2 {
        #expect(recorder.values.filter { $0 / 1_000 == thread } == (0..<100).map { thread * 1_000 + $0 })
      }
    }
  }

  @Test func sendFinishAndCancelMayRaceAndRelease() {
    for round in 0..<100 {
      let lifetime = LifetimeCounter()
      let recorder = RecordingSubscriber<LifetimeCounter.Token, TestError>(initialDemand: .none)
      let subscription = UncheckedBox(
        SerialSubscription<Int, RecordingSubscriber<LifetimeCounter.Token, TestError>>(recorder, "Test"))
      inParallel(3) { thread in
        for number in 0..<20 {
          switch thread {
          case 0: subscription.value.enqueue(lifetime.make(), 0)
          case 1:
            if number == 10 { subscription.value.finishAfterBuffered(.finished, dropsUnrequested: round % 2 == 0) }
          default: if number == 10 { subscription.value.cancel() }
          }
        }
      }
      #expect(recorder.completions <= 1)
      #expect(lifetime.count == 0)
    }
  }

  @Test func cancellationReleasesTheErrorOfAFailureThatWaits() {
    struct Failure: Error { let token: LifetimeCounter.Token }
    let lifetime = LifetimeCounter()
    let recorder = RecordingSubscriber<Int, Failure>(initialDemand: .none)
    let subscription = SerialSubscription<Int, RecordingSubscriber<Int, Failure>>(recorder, "Test")
    subscription.enqueue(1, 0)
    subscription.finishAfterBuffered(.failure(Failure(token: lifetime.make())))
    #expect(lifetime.count == 1)
    subscription.cancel()
    #expect(lifetime.count == 0)
  }

  @Test func nothingIsDeliveredBeforeTheSubscription() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    let probe = Probe(recorder, "Test", .awaitingSubscription)
    probe.send(1)
    probe.finish(.finished)
    #expect(recorder.signals.isEmpty)
    probe.sendSubscription()
    #expect(recorder.subscriptionNames == ["Test"])
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func aRequestOfAnotherThreadIsServedByTheThreadThatDelivers() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    let probe = Probe(recorder, "Test", .awaitingSubscription)
    probe.sendSubscription()
    let box = UncheckedBox(probe)
    recorder.onValue = { value in
      guard value == 1 else { return }
      probe.enqueue(2, 2)
      #expect(onOtherThread { box.value.request(.max(1)) })
      #expect(recorder.values == [1])
    }
    probe.send(1)
    #expect(recorder.values == [1, 2])
  }
}
