import InterflowTestSupport
import Testing

@testable import Combine

/// What comes from inside the subscriber of an outlet that nests.
@Suite struct OutletNestingTests {
  private typealias Nesting = Outlet<Int, Recorder<Int, TestError>>

  /// What such an outlet is to do, over arrays.
  private final class Model {
    var waiting: [Int] = []
    var log: [String] = []
    var isOver = false
    private var demand = 0
    private var terminal: String?
    private var depth = 0
    private let act: (Int, Model) -> Void

    init(act: @escaping (Int, Model) -> Void) { self.act = act }

    func send(_ value: Int) {
      guard !isOver, terminal == nil else { return }
      waiting.append(value)
      deliver(atMost: depth > 0 ? waiting.count : .max)
    }

    func request(_ count: Int) {
      guard !isOver else { return }
      demand += count
      if depth == 0 { deliver(atMost: .max) }
    }

    func finish(_ completion: String, droppingUnasked: Bool) {
      guard !isOver, terminal == nil else { return }
      terminal = completion
      if droppingUnasked { waiting = Array(waiting.prefix(demand)) }
      deliver(atMost: .max)
    }

    func cancel() {
      isOver = true
      waiting = []
    }

    private func deliver(atMost count: Int) {
      for _ in 0..<count {
        guard !isOver else { return }
        guard demand > 0, !waiting.isEmpty else {
          guard waiting.isEmpty, let terminal else { return }
          log.append(terminal)
          return isOver = true
        }
        demand -= 1
        let value = waiting.removeFirst()
        log.append("\(value)")
        depth += 1
        act(value, self)
        depth -= 1
        log.append("end \(value)")
      }
    }
  }

  private func send(_ value: Int, to outlet: Nesting) {
    outlet.lock.lock()
    if outlet.deliverUnlocking(value, nests: true) == nil { outlet.enqueueNestingUnlocking(value, value) }
  }

  private func finish(_ outlet: Nesting, droppingUnasked: Bool) {
    outlet.finishNesting(droppingUnasked ? .failure(TestError()) : .finished, droppingUnasked: droppingUnasked)
  }

  @Test(arguments: 0..<200)
  func nestsAsItsModelDoes(seed: UInt64) {
    var random = Random(seed)
    let recorder = Recorder<Int, TestError>(demand: .none)
    let outlet = Nesting(recorder, "Test")
    var log: [String] = []
    // What a delivery does from inside is decided by the value, so that the model can do it too.
    recorder.onValue = { value in
      log.append("\(value)")
      if value % 3 == 0 { outlet.request(.max(1)) }
      if value % 5 == 0, value < 3_000 { send(value + 1_003, to: outlet) }
      if value % 7 == 0, value < 3_000 { send(value + 1_001, to: outlet) }
      if value % 139 == 0, value > 0 { finish(outlet, droppingUnasked: value % 2 == 0) }
      if value % 137 == 0, value > 0 { outlet.cancel() }
      log.append("end \(value)")
    }
    recorder.onCompletion = { log.append($0 == .finished ? "finished" : "failed") }
    let model = Model { value, model in
      if value % 3 == 0 { model.request(1) }
      if value % 5 == 0, value < 3_000 { model.send(value + 1_003) }
      if value % 7 == 0, value < 3_000 { model.send(value + 1_001) }
      if value % 139 == 0, value > 0 {
        model.finish(value % 2 == 0 ? "failed" : "finished", droppingUnasked: value % 2 == 0)
      }
      if value % 137 == 0, value > 0 { model.cancel() }
    }
    for next in 0..<400 {
      if Int.random(in: 0..<5, using: &random) < 3 {
        send(next, to: outlet)
        model.send(next)
      } else {
        let count = Int.random(in: 1...3, using: &random)
        outlet.request(.max(count))
        model.request(count)
      }
      #expect(log == model.log)
      #expect(outlet.waiting.count == model.waiting.count)
      if model.isOver { break }
    }
    #expect(outlet.downstream == nil || !model.isOver)
  }

  @Test func nothingIsDeliveredBeforeTheIntroduction() {
    let recorder = Recorder<Int, TestError>(demand: .max(1))
    let outlet = Nesting(recorder, "Test")
    outlet.awaitIntroduction()
    outlet.send(1, 1)
    outlet.finish(.finished)
    #expect(recorder.events.isEmpty)
    outlet.introduce()
    #expect(recorder.subscriptions == ["Test"])
    #expect(recorder.log == ["1", "finished"])
  }

  @Test func otherThreadsWaitForTheIntroduction() {
    let recorder = Recorder<Int, TestError>(demand: .none)
    let outlet = Nesting(recorder, "Test")
    outlet.awaitIntroduction()
    let box = UncheckedBox(outlet)
    recorder.onSubscription = { subscription in
      subscription.request(.unlimited)
      #expect(onOtherThread { box.value.send(1, 1) })
      #expect(recorder.log.isEmpty)
      outlet.send(2, 2)
      #expect(recorder.log == ["1", "2"])
      #expect(onOtherThread { box.value.send(3, 3) })
      #expect(recorder.log == ["1", "2"])
    }
    outlet.introduce()
    #expect(recorder.log == ["1", "2", "3"])
    #expect(onOtherThread { box.value.send(4, 4) })
    #expect(recorder.log == ["1", "2", "3", "4"])
  }
}
