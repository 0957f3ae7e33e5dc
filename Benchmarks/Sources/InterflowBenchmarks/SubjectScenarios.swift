import BenchmarkKit
import Combine
import Dispatch
import Foundation

let subjectScenarios = [
  Scenario(
    "PassthroughSubject.sink", group: "subjects", count: 500_000, goal: 10,
    work: .synchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      return send(count, to: subject, through: subject)
    }, expected: sumOfIndices),
  Scenario(
    "PassthroughSubject.map.filter.map.sink", group: "subjects", count: 500_000, goal: 13,
    work: .synchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      return send(count, to: subject, through: subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 2 })
    }, expected: mapFilterMap),
  fanOut(name: "PassthroughSubject to 8 sinks", subscribers: 8, count: 500_000, goal: 50),
  fanOut(name: "PassthroughSubject to 1,000 sinks (per send)", subscribers: 1_000, count: 5_000, goal: 7_000),
  Scenario(
    "CurrentValueSubject.sink", group: "subjects", count: 500_000, goal: 18,
    work: .synchronous { count in
      let subject = CurrentValueSubject<Int, Never>(0)
      return send(count, to: subject, through: subject)
    }, expected: sumOfIndices),
  Scenario(
    "PassthroughSubject.scan.removeDuplicates.compactMap.sink", group: "subjects", count: 500_000, goal: 16,
    work: .synchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      return send(
        count, to: subject,
        through: subject.scan(0) { $0 &+ $1 }.removeDuplicates().compactMap { $0 & 3 == 0 ? nil : $0 })
    },
    expected: { count in
      var running = 0
      var last: Int?
      var sum = 0
      for index in 0..<count {
        running &+= index
        if running != last, running & 3 != 0 { sum &+= running }
        last = running
      }
      return sum
    }),
  Scenario(
    "PassthroughSubject.tryMap.replaceError.sink", group: "subjects", count: 500_000, goal: 15,
    work: .synchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      return send(count, to: subject, through: subject.tryMap { try checked($0) }.replaceError(with: 0))
    }, expected: sumOfIndices),
  Scenario(
    "PassthroughSubject.dropFirst.prefix(while:).sink", group: "subjects", count: 500_000, goal: 13,
    work: .synchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      return send(count, to: subject, through: subject.dropFirst().prefix { $0 >= 0 })
    }, expected: sumOfIndices),
  Scenario(
    "share() to two sinks", group: "subjects", count: 500_000, goal: 35,
    work: .synchronous { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      let shared = subject.share()
      let cancellables = [shared.sink { sum.value &+= $0 }, shared.sink { sum.value &+= $0 }]
      for index in 0..<count { subject.send(index) }
      return withExtendedLifetime(cancellables) { sum.value }
    }, expected: { sumOfIndices($0) &* 2 }),
  Scenario(
    "switchToLatest of Just", group: "subjects", count: 500_000, goal: 40,
    work: .synchronous { count in
      let subject = PassthroughSubject<Just<Int>, Never>()
      return sum(of: subject.switchToLatest()) {
        for index in 0..<count { subject.send(Just(index)) }
      }
    }, expected: sumOfIndices),
  Scenario(
    "subscribe and cancel subject.map.filter.sink", group: "subjects", unit: .nanosecondsPerOperation,
    count: 100_000, goal: 250,
    work: .synchronous { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      for _ in 0..<count { subject.map { $0 &+ 1 }.filter { $0 > 0 }.sink { sum.value &+= $0 }.cancel() }
      subject.send(1)
      return sum.value
    }, expected: { _ in 0 }),
  producers(name: "two threads sending to one subject", threads: 2, count: 500_000, goal: 60),
  producers(name: "four threads sending to one subject", threads: 4, count: 500_000, goal: 100),
]

struct Negative: Error {}

@inline(never) func checked(_ value: Int) throws -> Int {
  if value < 0 { throw Negative() }
  return value
}

func fanOut(name: String, subscribers: Int, count: Int, goal: Double? = nil) -> Scenario {
  Scenario(
    name, group: "subjects", count: count, goal: goal,
    work: .synchronous { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      let cancellables = (0..<subscribers).map { _ in subject.sink { sum.value &+= $0 } }
      for index in 0..<count { subject.send(index) }
      return withExtendedLifetime(cancellables) { sum.value }
    }, expected: { sumOfIndices($0) &* subscribers })
}

func producers(name: String, threads: Int, count: Int, goal: Double? = nil) -> Scenario {
  Scenario(
    name, group: "subjects", count: count, goal: goal,
    work: .synchronous { count in
      let subject = PassthroughSubject<Int, Never>()
      return sum(of: subject) {
        // Threads of their own: a concurrent queue has no more than the machine has cores.
        let done = DispatchGroup()
        for thread in 0..<threads {
          done.enter()
          Thread {
            for index in stride(from: thread, to: count, by: threads) { subject.send(index) }
            done.leave()
          }.start()
        }
        done.wait()
      }
    }, expected: sumOfIndices)
}
