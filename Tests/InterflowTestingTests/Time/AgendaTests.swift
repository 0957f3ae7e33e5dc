import Testing

@testable import InterflowTesting

@Suite struct AgendaTests {
  @Test func worksComeByTimeThenByOrder() {
    // Against a sorted array, with removals.
    var generator = SeededGenerator(seed: 42)
    for _ in 0..<200 {
      var agenda = Agenda()
      var model: [(due: Int, order: Int, id: UInt64)] = []
      for order in 0..<Int.random(in: 0...60, using: &generator) {
        let due = Int.random(in: 0...8, using: &generator)
        let id = agenda.add(due: VirtualTime(nanoseconds: due), .once(name: "\(order)")) {}
        model.append((due, order, id))
      }
      for _ in 0..<Int.random(in: 0...10, using: &generator) where !model.isEmpty {
        let index = Int.random(in: model.indices, using: &generator)
        #expect(agenda.remove(model.remove(at: index).id) != nil)
      }
      let expected = model.sorted { ($0.due, $0.order) < ($1.due, $1.order) }.map { "\($0.order)" }
      #expect(agenda.pending.map(\.kind) == expected.map { .once(name: $0) })
      var seen: [String] = []
      while let work = agenda.takeNext(until: 8) {
        if case .once(let name?) = work.kind { seen.append(name) }
      }
      #expect(seen == expected)
      #expect(agenda.count == 0)
    }
  }

  @Test func removedWorkIsHandedOutOnce() {
    var agenda = Agenda()
    let id = agenda.add(due: 1, .sleep) {}
    #expect(agenda.sleepers == 1)
    #expect(agenda.remove(id) != nil)
    #expect(agenda.remove(id) == nil)
    #expect(agenda.sleepers == 0)
    #expect(agenda.takeNext(until: 5) == nil)
  }

  @Test func removedWorkIsNotDue() {
    var agenda = Agenda()
    let id = agenda.add(due: 1, .sleep) {}
    _ = agenda.add(due: 2, .sleep) {}
    _ = agenda.add(due: .distantFuture, .sleep) {}
    let isDue = agenda.hasWork(dueBy: 1)
    #expect(agenda.remove(id) != nil)
    let isStillDue = agenda.hasWork(dueBy: 1)
    #expect(agenda.takeNext(until: 2) != nil)
    let isEverDue = agenda.hasWork(dueBy: .distantFuture)
    #expect((isDue, isStillDue, isEverDue) == (true, false, false), "what is due in the distant future is never taken")
  }

  @Test func waitingForTimeComesLast() {
    var agenda = Agenda()
    _ = agenda.add(due: 1, .advance) {}
    _ = agenda.add(due: 1, .task) {}
    _ = agenda.add(due: 2, .sleep) {}
    #expect(agenda.pending.map(\.kind) == [.task, .advance, .sleep])
  }

  @Test func repetitionsAreNewUntilTheyHaveCome() {
    var agenda = Agenda()
    let id = agenda.add(due: 1, .repetition(every: 1, name: nil)) {}
    #expect(agenda.holdsNewWork)
    #expect(agenda.takeNext(until: 1)?.due == 1)
    #expect(!agenda.holdsNewWork)
    #expect(agenda.takeNext(until: 2)?.due == 2)
    #expect(!agenda.holdsNewWork)
    #expect(agenda.pending.map(\.time) == [3])
    let other = agenda.add(due: 9, .repetition(every: 1, name: nil)) {}
    #expect(agenda.holdsNewWork)
    #expect(agenda.remove(other) != nil)
    #expect(!agenda.holdsNewWork)
    #expect(agenda.remove(id) != nil)
    #expect(agenda.count == 0)
  }

  @Test func anotherRankIsAnotherOrderAmongWorkOfTheSameTime() {
    var agenda = Agenda(rank: { .max - $0 })
    for (name, due) in [("a", 2), ("b", 1), ("c", 2), ("d", 1)] as [(String, Int)] {
      _ = agenda.add(due: VirtualTime(nanoseconds: due), .once(name: name)) {}
    }
    #expect(agenda.pending.map(\.kind) == ["d", "b", "c", "a"].map { .once(name: $0) })
  }
}
