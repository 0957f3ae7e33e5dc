import Foundation
import InterflowPrimitives
import InterflowTestSupport
import Testing

/// Turns that threads enter from inside others, in circles.
@Suite struct TurnStressTests {
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

  @Test func threadsThatFeedEachOtherInARingGoOn() {
    for schedule in 0..<schedules {
      var random = Random(UInt64(schedule))
      let nodes = (0..<(2 + schedule % 7)).map { _ in Node() }
      for (index, node) in nodes.enumerated() { node.targets = [nodes[(index + 1) % nodes.count]] }
      send(through: nodes, threads: 2 + schedule % 3, messages: 20, hops: nodes.count * 2, &random)
    }
  }

  @Test func threadsThatFeedEachOtherInARandomGraphGoOn() {
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
private let schedules = ProcessInfo.processInfo.environment["INTERFLOW_TURN_SCHEDULES"].flatMap(Int.init) ?? 100
