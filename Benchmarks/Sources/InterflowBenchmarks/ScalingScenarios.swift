import BenchmarkKit
import Combine

let scalingRows = [
  ScalingRow(
    name: "scaling: elements of (0..<n).publisher.map.filter.sink", growth: .perDecade,
    sizes: [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
  ) { size in
    Scenario(
      "\(size) elements", group: "scaling", count: size,
      work: .synchronous { count in
        sum(of: (0..<count).publisher.eraseToAnyPublisher().map { $0 }.filter { $0 >= 0 })
      }, expected: sumOfIndices)
  },
  ScalingRow(
    name: "scaling: elements through subject.asyncStream()", growth: .perDecade,
    sizes: [1_000, 10_000, 100_000, 1_000_000]
  ) { size in
    Scenario(
      "\(size) elements", group: "scaling", count: size,
      work: .asynchronous { count in
        let subject = PassthroughSubject<Int, Never>()
        let stream = subject.asyncStream()
        for index in 0..<count { subject.send(index) }
        subject.send(completion: .finished)
        var sum = 0
        for await value in stream { sum &+= value }
        return sum
      }, expected: sumOfIndices)
  },
  ScalingRow(
    name: "scaling: operators in a chain", growth: .perUnit("operator"), sizes: [1, 2, 4, 8, 16, 32]
  ) { size in
    Scenario(
      "\(size) operators", group: "scaling", count: 200_000,
      work: .synchronous { count in chainOfScans(size, count) }, expected: sumOfIndices)
  },
  ScalingRow(
    name: "scaling: type-erased operators in a chain", growth: .perUnit("operator"), sizes: [1, 2, 4, 8, 16, 32]
  ) { size in
    Scenario(
      "\(size) operators", group: "scaling", count: 200_000,
      work: .synchronous { count in
        let subject = PassthroughSubject<Int, Never>()
        var chain = subject.eraseToAnyPublisher()
        for _ in 0..<size { chain = chain.map { $0 }.eraseToAnyPublisher() }
        return send(count, to: subject, through: chain)
      }, expected: sumOfIndices)
  },
  ScalingRow(
    name: "scaling: subscribers of one subject", growth: .perUnit("subscriber"), sizes: [1, 10, 100, 1_000, 10_000]
  ) { size in
    fanOut(name: "\(size) subscribers", subscribers: size, count: Swift.max(1_000_000 / size, 100))
  },
  ScalingRow(
    name: "scaling: producers sending to one subject", growth: .perUnit("producer"), sizes: [1, 2, 3, 4]
  ) { size in
    producers(name: "\(size) producers", threads: size, count: 500_000)
  },
]

/// A chain whose every operator keeps state, so that nothing of it can be optimised away.
private func chainOfScans(_ length: Int, _ count: Int) -> Int {
  let subject = PassthroughSubject<Int, Never>()
  switch length {
  case 1: return send(count, to: subject, through: one(subject))
  case 2: return send(count, to: subject, through: two(subject))
  case 4: return send(count, to: subject, through: two(two(subject)))
  case 8: return send(count, to: subject, through: eight(subject))
  case 16: return send(count, to: subject, through: eight(eight(subject)))
  case 32: return send(count, to: subject, through: eight(eight(eight(eight(subject)))))
  default: preconditionFailure("There is no chain of \(length) operators.")
  }
}

private func one(_ publisher: some Publisher<Int, Never>) -> some Publisher<Int, Never> {
  publisher.scan(0) { $1 &+ ($0 & 0) }
}

private func two(_ publisher: some Publisher<Int, Never>) -> some Publisher<Int, Never> {
  one(one(publisher))
}

private func eight(_ publisher: some Publisher<Int, Never>) -> some Publisher<Int, Never> {
  two(two(two(two(publisher))))
}
