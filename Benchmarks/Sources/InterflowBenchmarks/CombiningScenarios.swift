import BenchmarkKit
import Combine

let combiningScenarios = [
  Scenario(
    "zip of two subjects", group: "combining", count: 500_000, goal: 60,
    work: .synchronous { count in
      let sum = Sum()
      let left = PassthroughSubject<Int, Never>()
      let right = PassthroughSubject<Int, Never>()
      let cancellable = left.zip(right).sink { sum.value &+= $0 &+ $1 }
      for index in 0..<count {
        left.send(index)
        right.send(index)
      }
      return withExtendedLifetime(cancellable) { sum.value }
    }, expected: { sumOfIndices($0) &* 2 }),
  Scenario(
    "combineLatest of two subjects", group: "combining", count: 500_000, goal: 45,
    work: .synchronous { count in
      let sum = Sum()
      let left = PassthroughSubject<Int, Never>()
      let right = CurrentValueSubject<Int, Never>(0)
      let cancellable = left.combineLatest(right).sink { sum.value &+= $0 &+ $1 }
      for index in 0..<count {
        if index.isMultiple(of: 2) { left.send(index) } else { right.send(index) }
      }
      return withExtendedLifetime(cancellable) { sum.value }
    },
    expected: { count in
      var (left, right, sum) = (0, 0, 0)
      for index in 0..<count {
        if index.isMultiple(of: 2) { left = index } else { right = index }
        sum &+= left &+ right
      }
      return sum
    }),
  Scenario(
    "merge of two subjects", group: "combining", count: 500_000, goal: 35,
    work: .synchronous { count in
      let left = PassthroughSubject<Int, Never>()
      let right = PassthroughSubject<Int, Never>()
      return sum(of: left.merge(with: right)) {
        for index in 0..<count {
          if index.isMultiple(of: 2) { left.send(index) } else { right.send(index) }
        }
      }
    }, expected: sumOfIndices),
]
