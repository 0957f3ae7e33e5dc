import Dispatch
import Foundation
import InterflowPrimitives
import InterflowTestSupport
import Synchronization
import Testing

@Suite("Turn")
struct TurnTests {
  /// Counts up with no protection but the turn's.
  final class Counter: @unchecked Sendable {  // `turn` guards the rest.
    let turn = Turn()
    var value = 0
    var inside = 0
    var overlaps = 0
    var workDone = 0

    func enter(_ me: UInt) -> UInt { turn.enter(me) }
    func tryEnter(_ me: UInt) -> Bool { turn.tryEnter(me) }
    func leave(_ me: UInt, _ previous: UInt) -> Bool { turn.leave(me, previous) }
    func isOwned(by thread: UInt) -> Bool { turn.isOwned(by: thread) }
    func enterOrRequestWork(_ me: UInt) -> UInt? { turn.enterOrRequestWork(me) }
    func clearWork() { turn.clearWork() }
    var hasWork: Bool { turn.hasWork }

    func countUp() {
      let me = currentThreadIdentity()
      let previous = turn.enter(me)
      inside += 1
      if inside != 1 { overlaps += 1 }
      value += 1
      inside -= 1
      while !turn.leave(me, previous) {
        turn.clearWork()
        workDone += 1
      }
    }
  }

  @Test func turnsOfSeveralThreadsNeverOverlap() {
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 { counter.countUp() }
    }
    #expect(counter.value == 160_000)
    #expect(counter.overlaps == 0)
  }

  @Test func itsOwnerEntersItOnceMore() {
    let turn = Counter()
    let me = currentThreadIdentity()
    #expect(turn.enter(me) == 0)
    #expect(turn.enter(me) == me)
    #expect(turn.leave(me, me))
    #expect(turn.isOwned(by: me))
    #expect(turn.leave(me, 0))
    #expect(!turn.isOwned(by: me))
    #expect(turn.tryEnter(me))
  }

  @Test func workThatIsLeftIsDoneBeforeTheTurnIsGivenUp() {
    let counter = Counter()
    let me = currentThreadIdentity()
    let previous = counter.enter(me)
    onOtherThread { #expect(counter.enterOrRequestWork(currentThreadIdentity()) == nil) }
    #expect(counter.hasWork)
    #expect(!counter.leave(me, previous))
    #expect(counter.isOwned(by: me))
    counter.clearWork()
    #expect(counter.leave(me, previous))
    onOtherThread {
      let me = currentThreadIdentity()
      #expect(counter.enterOrRequestWork(me) == 0)
      #expect(counter.leave(me, 0))
    }
  }

  @Test func workIsNeverLostAmongThreadsThatWait() {
    let counter = Counter()
    let requested = Atomic(0)
    let served = Atomic(0)
    let lock = Lock()
    inParallel(4) { thread in
      let me = currentThreadIdentity()
      for _ in 0..<5_000 {
        if thread < 2 { counter.countUp() }
        lock.lock()
        requested.wrappingAdd(1, ordering: .relaxed)
        let previous = counter.enterOrRequestWork(me)
        lock.unlock()
        guard previous == 0 else { continue }
        repeat {
          counter.clearWork()
          lock.lock()
          served.store(requested.load(ordering: .relaxed), ordering: .relaxed)
          lock.unlock()
        } while !counter.leave(me, 0)
      }
    }
    // What is requested last is served by whoever has the turn; nobody has left it behind.
    #expect(!counter.hasWork)
    #expect(counter.overlaps == 0)
  }

  /// Counts turns, not time: how many a thread misses from its call on until it has its own.
  @Test func aWaitingThreadIsPassedOverABoundedNumberOfTimes() {
    let counter = Counter()
    let taken = Atomic(0)
    let mostMissed = Atomic(0)
    let threads = 10
    inParallel(threads) { _ in
      let me = currentThreadIdentity()
      for _ in 0..<300 {
        let before = taken.load(ordering: .relaxed)
        let previous = counter.enter(me)
        let missed = taken.wrappingAdd(1, ordering: .relaxed).oldValue - before
        spin(microseconds: 20)
        _ = counter.leave(me, previous)
        _ = mostMissed.max(missed, ordering: .relaxed)
      }
    }
    // The nine others take 2,700 turns. One that runs on while somebody waits takes them all at a stretch.
    #expect(taken.load(ordering: .relaxed) == 3_000)
    #expect(mostMissed.load(ordering: .relaxed) < 1_500)
  }

  // MARK: Circles

  /// Something that has a turn and passes what it gets on to others, in their turns.
  final class Node: @unchecked Sendable {  // `turn` guards the rest.
    let turn = Turn()
    var targets: [Node] = []
    var received: [Message] = []
    var depth = 0
    var owner: UInt = 0
    var intrusions = 0

    func send(_ message: Message) {
      let me = currentThreadIdentity()
      let previous = turn.enter(me)
      // Only its owner, or a thread that has borrowed the turn from a sleeping one, may be in here.
      if depth > 0, owner != me, previous != owner { intrusions += 1 }
      let outer = owner
      owner = me
      depth += 1
      received.append(message)
      if message.hops > 0 {
        for target in targets {
          target.send(Message(sender: message.sender, number: message.number, hops: message.hops - 1))
        }
      }
      depth -= 1
      owner = outer
      while !turn.leave(me, previous) { turn.clearWork() }
    }
  }

  struct Message: Equatable {
    var sender: Int
    var number: Int
    var hops: Int
  }

  /// Has threads send through a graph of nodes, and looks whether everything has arrived when each `send` returns.
  private func send(through nodes: [Node], threads: Int, messages: Int, hops: Int, _ random: inout Random) {
    let starts = (0..<threads).map { _ in Int.random(in: 0..<nodes.count, using: &random) }
    let entry = UncheckedBox(nodes)
    inParallel(threads) { thread in
      for number in 0..<messages {
        entry.value[starts[thread]].send(Message(sender: thread, number: number, hops: hops))
      }
    }
    var expected = Array(repeating: 0, count: nodes.count)
    func count(_ node: Int, _ hops: Int) {
      expected[node] += messages
      guard hops > 0 else { return }
      for target in nodes[node].targets { count(nodes.firstIndex { $0 === target }!, hops - 1) }
    }
    for start in starts { count(start, hops) }
    for (index, node) in nodes.enumerated() {
      #expect(node.received.count == expected[index])
      #expect(node.intrusions == 0)
      #expect(node.depth == 0)
      for sender in 0..<threads {
        for hop in 0...hops {
          // What a sender sends, each node gets in that order along every path.
          let numbers = node.received.filter { $0.sender == sender && $0.hops == hop }.map(\.number)
          #expect(numbers == numbers.sorted())
        }
      }
      node.targets = []
    }
  }

  @Test(.timeLimit(.minutes(10))) func threadsThatFeedEachOtherInARingGoOn() {
    for schedule in 0..<schedules {
      var random = Random(UInt64(schedule))
      let nodes = (0..<(2 + schedule % 7)).map { _ in Node() }
      for (index, node) in nodes.enumerated() { node.targets = [nodes[(index + 1) % nodes.count]] }
      send(through: nodes, threads: 2 + schedule % 3, messages: 20, hops: nodes.count * 2, &random)
    }
  }

  @Test(.timeLimit(.minutes(10))) func threadsThatFeedEachOtherInARandomGraphGoOn() {
    for schedule in 0..<schedules {
      var random = Random(UInt64(schedule) + 1_000_000)
      let nodes = (0..<10).map { _ in Node() }
      for node in nodes {
        node.targets = (0..<Int.random(in: 1...2, using: &random)).map { _ in nodes.randomElement(using: &random)! }
      }
      send(through: nodes, threads: 3, messages: 12, hops: 4, &random)
    }
  }
}

/// How many schedules the tests of circles run.
private let schedules = ProcessInfo.processInfo.environment["INTERFLOW_TURN_SCHEDULES"].flatMap(Int.init) ?? 300

/// Keeps the thread busy.
private func spin(microseconds: UInt64) {
  let end = DispatchTime.now().uptimeNanoseconds + microseconds * 1_000
  while DispatchTime.now().uptimeNanoseconds < end {}
}
