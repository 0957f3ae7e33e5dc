import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CompactMapTests {
  private let words = ["1", "x", "3", "40"].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()

  @Test func valuesAreChangedAndNilsLeftOut() {
    #expect(words.compactMap { Int($0) }.recorded().log == ["1", "3", "40", "finished"])
    #expect(words.tryCompactMap { Int($0) }.recorded().log == ["1", "3", "40", "finished"])
  }

  @Test func changesInARowBecomeOne() {
    let both: Publishers.CompactMap = words.compactMap { Int($0) }.compactMap { $0 > 1 ? $0 : nil }.map { "<\($0)>" }
    #expect(type(of: both.upstream) == type(of: words))
    #expect(both.recorded().log == ["<3>", "<40>", "finished"])

    let throwing: Publishers.TryCompactMap = words.tryCompactMap { Int($0) }.compactMap {
      if $0 == 40 { throw TestError("thrown") }
      return $0 > 1 ? $0 : nil
    }
    #expect(type(of: throwing.upstream) == type(of: words))
    #expect(throwing.recorded().log == ["3", "thrown"])
  }

  @Test func valueLeftOutIsReplaced() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded(demand: .max(1)) { $0.compactMap { $0 > 1 ? $0 : nil } }
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    #expect(recorder.log == ["2"])

    let another = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let throwing = another.recorded(demand: .max(1)) { $0.tryCompactMap { $0 > 1 ? $0 : nil } }
    #expect(another.send(1) == .max(1))
    #expect(another.send(2) == .none)
    #expect(throwing.log == ["2"])
  }

  @Test func printedNameIsTheUpstreams() {
    let lines = Lines()
    _ = PassthroughSubject<Int, Never>().compactMap { $0 }.print(to: lines).recorded()
    #expect(lines.text == "receive subscription: (PassthroughSubject)\nrequest unlimited\n")
  }

  @Test func failurePasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.recorded { $0.compactMap { $0 } }
    let throwing = words.tryCompactMap { _ -> Int? in throw TestError("thrown") }.recorded()
    source.send(completion: .failure(TestError()))
    #expect(recorder.log == ["test error"])
    #expect(throwing.log == ["thrown"])
  }

  @Test func keepsTheRules() {
    expectOperatorRules("CompactMap", isGuarded: false) { upstream, token in
      upstream.compactMap {
        token.touch()
        return $0 == 2 ? nil : $0
      }
    }
    expectOperatorRules("TryCompactMap", earlyValue: .traps) { upstream, token in
      upstream.tryCompactMap {
        token.touch()
        return $0 == 2 ? nil : $0
      }
    }
  }
}
