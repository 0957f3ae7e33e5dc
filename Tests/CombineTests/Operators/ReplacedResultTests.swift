import Combine
import Testing

/// A result of several parts is replaced whole before one of them is released, which may send to the operator.
@Suite struct ReplacedResultTests {
  enum Operator: CaseIterable {
    case scan, tryScan, reduce, tryReduce
  }

  private final class Part {
    let number: Int
    private let onRelease: () -> Void

    init(_ number: Int, onRelease: @escaping () -> Void = {}) {
      self.number = number
      self.onRelease = onRelease
    }

    deinit { onRelease() }
  }

  @Test(arguments: Operator.allCases) func releaseOfAPartMaySend(to tested: Operator) {
    let subject = PassthroughSubject<Int, Never>()
    var isSending = false
    var before: [[Int]] = []
    let next = { (parts: (Part, Part), value: Int) -> (Part, Part) in
      before.append([parts.0.number, parts.1.number])
      return (Part(value) { if value == 1, isSending { subject.send(3) } }, Part(value))
    }
    let initial = { (Part(0), Part(0)) }
    let cancellable =
      switch tested {
      case .scan: subject.scan(initial(), next).sink { _ in }
      case .tryScan: subject.tryScan(initial(), next).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      case .reduce: subject.reduce(initial(), next).sink { _ in }
      case .tryReduce: subject.tryReduce(initial(), next).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      }
    subject.send(1)
    isSending = true
    for value in [2, 4] { subject.send(value) }
    withExtendedLifetime(cancellable) {}
    #expect(before == [[0, 0], [1, 1], [2, 2], [3, 3]])
  }
}
