import BenchmarkKit
import Combine

let memoryScenarios = [
  Scenario(
    "bytes for each live subject.map.filter.sink", group: "memory", unit: .bytesPerSubscription, count: 100_000,
    goal: 300,
    work: .memory { count in
      let sum = Sum()
      let subject = PassthroughSubject<Int, Never>()
      var cancellables: [AnyCancellable] = []
      cancellables.reserveCapacity(count)
      let before = ProcessMemory.allocated
      for _ in 0..<count {
        cancellables.append(subject.map { $0 &+ 1 }.filter { $0 > 0 }.sink { sum.value &+= $0 })
      }
      let after = ProcessMemory.allocated
      subject.send(1)
      precondition(sum.value == 2 * count, "\(sum.value / 2) of \(count) subscriptions are alive.")
      return withExtendedLifetime(cancellables) { after - before }
    }, expected: { _ in 0 })
]
