import Combine
import InterflowTestSupport
import Testing

/// A result of several parts is replaced whole before one of them is released, which may send to the operator.
@Suite struct ReplacedResultTests {
  enum Operator: CaseIterable {
    case scan, tryScan, reduce, tryReduce
  }

  @Test(arguments: Operator.allCases) func releaseOfAPartMaySend(to tested: Operator) {
    let subject = PassthroughSubject<Int, Never>()
    var isSending = false
    var before: [[Int]] = []
    typealias Parts = (ReportsRelease, ReportsRelease)
    let next = { (parts: Parts, value: Int) -> Parts in
      before.append([parts.0.number, parts.1.number])
      return (ReportsRelease(value) { if value == 1, isSending { subject.send(3) } }, ReportsRelease(value))
    }
    let initial = { (ReportsRelease(0), ReportsRelease(0)) }
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
