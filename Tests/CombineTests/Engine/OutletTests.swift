import InterflowTestSupport
import Testing

@testable import Combine

@Suite("Outlet")
struct OutletTests {
  /// Counts what the outlet tells its subclass.
  final class Probe: Outlet<Int, Recorder<Int, TestError>> {
    var tags: [Int] = []
    var more: [Subscribers.Demand] = []
    var releases = 0

    override func delivered(_ tag: Int) { tags.append(tag) }
    override func asked(_ more: Subscribers.Demand) { self.more.append(more) }
    override func releaseInputs() { releases += 1 }
  }

  /// What an outlet is to do, over arrays.
  struct Model {
    var waiting: [Int] = []
    var demand = Subscribers.Demand.none
    var log: [String] = []
    var terminal: String?
    var isOver = false
  }

  @Test(arguments: 0..<100)
  func behavesAsItsModelDoes(seed: UInt64) {
    var random = Random(seed)
    let recorder = Recorder<Int, TestError>(demand: .none)
    let outlet = Probe(recorder, "Test")
    var model = Model()
    var next = 0
    // What a delivery does from inside is decided by the value, so that the model can do it too.
    recorder.onValue = { value in
      if value % 7 == 0 { outlet.request(.max(1)) }
      if value % 11 == 0 { outlet.send(value + 1_000, 0) }
      if value % 97 == 0, value > 0 { outlet.cancel() }
    }
    func modelDelivers() {
      while !model.isOver, model.demand != .none, let value = model.waiting.first {
        model.waiting.removeFirst()
        model.demand -= 1
        model.log.append("\(value)")
        if value % 7 == 0 { model.demand += 1 }
        if value % 11 == 0, model.terminal == nil { model.waiting.append(value + 1_000) }
        if value % 97 == 0, value > 0 {
          model.isOver = true
          model.waiting = []
        }
      }
      if !model.isOver, model.waiting.isEmpty, let terminal = model.terminal {
        model.log.append(terminal)
        model.isOver = true
      }
    }
    for _ in 0..<400 {
      switch Int.random(in: 0..<1_000, using: &random) {
      case 0..<500:
        outlet.send(next, next)
        if !model.isOver, model.terminal == nil { model.waiting.append(next) }
        next += 1
      case 500..<990:
        let count = Int.random(in: 1...3, using: &random)
        outlet.request(.max(count))
        if !model.isOver { model.demand += count }
      case 990..<994:
        outlet.finish(.finished)
        if !model.isOver, model.terminal == nil { model.terminal = "finished" }
      case 994..<998:
        outlet.finish(.failure(TestError()), droppingUnasked: true)
        // Nothing waits that has been asked for, where nobody delivers.
        if !model.isOver, model.terminal == nil {
          model.terminal = "test error"
          model.waiting = []
        }
      default:
        outlet.cancel()
        model.isOver = true
        model.waiting = []
      }
      modelDelivers()
      #expect(recorder.log == model.log)
      #expect(outlet.waiting.count == model.waiting.count)
    }
    #expect(outlet.releases == (model.isOver ? 1 : 0))
  }

  @Test func tellsItsSubclassWhichWaitingValuesWereDelivered() {
    let recorder = Recorder<Int, TestError>(demand: .none) { $0 == 2 ? .max(1) : .none }
    let outlet = Probe(recorder, "Test")
    #expect(!outlet.send(1, 10))
    outlet.request(.max(2))
    #expect(outlet.tags == [10])
    #expect(outlet.send(2, 20))
    #expect(outlet.tags == [10])
    #expect(outlet.more == [.max(2), .max(1)])
    #expect(outlet.send(3, 30))
    #expect(!outlet.send(4, 40))
  }

  @Test func sendersAndRequestersOnSeveralThreadsLoseNothing() {
    for _ in 0..<50 {
      let recorder = Recorder<Int, TestError>(demand: .none)
      let outlet = UncheckedBox(Outlet<Int, Recorder<Int, TestError>>(recorder, "Test"))
      inParallel(4) { thread in
        for number in 0..<100 {
          if thread < 2 {
            outlet.value.send(thread * 1_000 + number, 0)
          } else {
            outlet.value.request(.max(1))
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
      let recorder = Recorder<LifetimeCounter.Token, TestError>(demand: .none)
      let outlet = UncheckedBox(Outlet<Int, Recorder<LifetimeCounter.Token, TestError>>(recorder, "Test"))
      inParallel(3) { thread in
        for number in 0..<20 {
          switch thread {
          case 0: outlet.value.send(lifetime.make(), 0)
          case 1: if number == 10 { outlet.value.finish(.finished, droppingUnasked: round % 2 == 0) }
          default: if number == 10 { outlet.value.cancel() }
          }
        }
      }
      #expect(recorder.completions <= 1)
      #expect(lifetime.count == 0)
    }
  }
}
