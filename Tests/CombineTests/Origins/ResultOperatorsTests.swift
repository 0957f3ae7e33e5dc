import Combine
import InterflowTestSupport
import Testing

/// Each operator's result and, by the annotation, its static type.
@Suite struct ResultOperatorsTests {
  private let success = Result<Int, TestError>.Publisher(1)
  private let failure = Result<Int, TestError>.Publisher(TestError("first"))

  @Test func mapping() {
    let mapped: Result<String, TestError>.Publisher = success.map { "\($0 + 1)" }
    #expect(mapped == .init("2"))
    let mappedFailure: Result<String, TestError>.Publisher = failure.map(unreachable)
    #expect(mappedFailure == .init(TestError("first")))

    let tried: Result<Int, any Error>.Publisher = success.tryMap { $0 + 1 }
    #expect(log(of: tried) == ["2", "finished"])
    #expect(log(of: success.tryMap(throwing) as Result<Int, any Error>.Publisher) == ["test error"])
    #expect(log(of: failure.tryMap(unreachable) as Result<Int, any Error>.Publisher) == ["first"])

    let scanned: Result<String, TestError>.Publisher = success.scan("0") { $0 + "\($1)" }
    #expect(scanned == .init("01"))
    #expect(failure.scan(0, unreachable) == failure)
    let tryScanned: Result<Int, any Error>.Publisher = success.tryScan(2) { $0 + $1 }
    #expect(log(of: tryScanned) == ["3", "finished"])
    #expect(log(of: success.tryScan(2, throwing)) == ["test error"])
    #expect(log(of: failure.tryScan(2, unreachable)) == ["first"])
  }

  @Test func reducing() {
    let reduced: Result<String, TestError>.Publisher = success.reduce("0") { $0 + "\($1)" }
    #expect(reduced == .init("01"))
    #expect(failure.reduce(0, unreachable) == failure)
    let tried: Result<Int, any Error>.Publisher = success.tryReduce(2) { $0 + $1 }
    #expect(log(of: tried) == ["3", "finished"])
    #expect(log(of: success.tryReduce(2, throwing)) == ["test error"])
    #expect(log(of: failure.tryReduce(2, unreachable)) == ["first"])

    let collected: Result<[Int], TestError>.Publisher = success.collect()
    #expect(collected == .init([1]))
    #expect(failure.collect() == .init(TestError("first")))
    let count: Result<Int, TestError>.Publisher = success.count()
    #expect(count == .init(1))
    #expect(failure.count() == failure)
  }

  @Test func extremes() {
    let found: [Result<Int, TestError>.Publisher] = [
      success.min(), success.max(), success.min(by: unreachable), success.max(by: unreachable),
    ]
    #expect(found.allSatisfy { $0 == success })
    #expect(failure.min() == failure && failure.max() == failure)

    let least: Result<Int, any Error>.Publisher = success.tryMin { $0 < $1 }
    let greatest: Result<Int, any Error>.Publisher = success.tryMax { $0 < $1 }
    #expect(log(of: least) == ["1", "finished"])
    #expect(log(of: greatest) == ["1", "finished"])
    #expect(log(of: success.tryMin(by: throwing)) == ["test error"])
    #expect(log(of: success.tryMax(by: throwing)) == ["test error"])
    #expect(log(of: failure.tryMin(by: unreachable)) == ["first"])
    #expect(log(of: failure.tryMax(by: unreachable)) == ["first"])
  }

  @Test func matching() {
    let all: Result<Bool, TestError>.Publisher = success.allSatisfy { $0 > 1 }
    #expect(all == .init(false))
    #expect(failure.allSatisfy(unreachable) == .init(TestError("first")))
    let tryAll: Result<Bool, any Error>.Publisher = success.tryAllSatisfy { $0 > 0 }
    #expect(log(of: tryAll) == ["true", "finished"])
    #expect(log(of: success.tryAllSatisfy(throwing)) == ["test error"])
    #expect(log(of: failure.tryAllSatisfy(unreachable)) == ["first"])

    let contained: Result<Bool, TestError>.Publisher = success.contains(1)
    #expect(contained == .init(true))
    #expect(failure.contains(1) == .init(TestError("first")))
    let accepted: Result<Bool, TestError>.Publisher = success.contains { $0 > 1 }
    #expect(accepted == .init(false))
    let tryContained: Result<Bool, any Error>.Publisher = success.tryContains { $0 > 0 }
    #expect(log(of: tryContained) == ["true", "finished"])
    #expect(log(of: success.tryContains(where: throwing)) == ["test error"])
    #expect(log(of: failure.tryContains(where: unreachable)) == ["first"])
  }

  @Test func filtering() {
    let unchanged: [Result<Int, TestError>.Publisher] = [
      success.removeDuplicates(), success.removeDuplicates(by: unreachable), success.first(), success.last(),
    ]
    #expect(unchanged.allSatisfy { $0 == success })
    #expect(failure.first() == failure && failure.last() == failure && failure.removeDuplicates() == failure)

    let tried: Result<Int, any Error>.Publisher = success.tryRemoveDuplicates { $0 == $1 }
    #expect(log(of: tried) == ["1", "finished"])
    #expect(log(of: success.tryRemoveDuplicates(by: throwing)) == ["test error"])
    #expect(log(of: failure.tryRemoveDuplicates(by: unreachable)) == ["first"])

    let ignored: Empty<Int, TestError> = success.ignoreOutput()
    #expect(ignored == Empty())
    #expect(failure.ignoreOutput() == Empty())
  }

  @Test func failing() {
    struct Other: Error, Equatable {}
    let mapped: Result<Int, Other>.Publisher = failure.mapError { _ in Other() }
    #expect(mapped == .init(Other()))
    let unmapped: Result<Int, Other>.Publisher = success.mapError(unreachable)
    #expect(unmapped == .init(1))

    let replaced: Result<Int, Never>.Publisher = failure.replaceError(with: 2)
    #expect(replaced == .init(2))
    #expect(success.replaceError(with: 2) == .init(1))
    let unchanged: [Result<Int, TestError>.Publisher] = [success.replaceEmpty(with: 2), success.retry(3)]
    #expect(unchanged.allSatisfy { $0 == success })
    #expect(failure.replaceEmpty(with: 2) == failure && failure.retry(3) == failure)

    let typed: Result<Int, TestError>.Publisher = Result<Int, Never>.Publisher(1).setFailureType(to: TestError.self)
    #expect(typed == success)
  }

  @Test func aReplacedValueThatIsOptionalStaysWhatItWas() {
    let none = Result<Int?, TestError>.Publisher(.success(nil))
    #expect(none.replaceError(with: 2) == .init(.success(nil)))
  }
}
