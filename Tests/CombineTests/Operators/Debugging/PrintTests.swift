import Combine
import Testing

@Suite struct PrintTests {
  private func printed(_ prefix: String = "", _ run: (Lines) -> Void) -> String {
    let lines = Lines()
    run(lines)
    return lines.text
  }

  @Test func everySignalHasALine() {
    let text = printed { _ = [1].publisher.print(to: $0).recorded() }
    #expect(
      text == """
        receive subscription: ([1])
        request unlimited
        receive value: (1)
        receive finished

        """)
  }

  @Test func prefixBeginsEachLine() {
    let text = printed { _ = [1].publisher.print("numbers", to: $0).recorded() }
    #expect(
      text == """
        numbers: receive subscription: ([1])
        numbers: request unlimited
        numbers: receive value: (1)
        numbers: receive finished

        """)
  }

  @Test func demandOfAValueIsCalledSynchronous() {
    let text = printed {
      let demands: [Int: Subscribers.Demand] = [1: .max(1), 2: .unlimited]
      let recorder = Recorder<Int, Never>(demand: .max(1), demandForEach: { demands[$0] ?? .none })
      (1...3).publisher.print(to: $0).subscribe(recorder)
    }
    #expect(
      text == """
        receive subscription: (1...3)
        request max: (1)
        receive value: (1)
        request max: (1) (synchronous)
        receive value: (2)
        request unlimited (synchronous)
        receive value: (3)
        receive finished

        """)
  }

  @Test func errorAndCancellationHaveALine() {
    let source = ManualPublisher<String, TestError>()
    let failed = printed { lines in
      let recorder = source.print(to: lines).recorded(demand: .max(2))
      source.send("a")
      source.send(completion: .failure(TestError("broken")))
      recorder.cancel()
    }
    #expect(
      failed == """
        receive subscription: (ManualSubscription)
        request max: (2)
        receive value: (a)
        receive error: (broken)

        """)
    let cancelled = printed { lines in
      let recorder = source.print(to: lines).recorded(demand: .none)
      recorder.cancel()
      recorder.cancel()
      source.send("b")
    }
    #expect(
      cancelled == """
        receive subscription: (ManualSubscription)
        receive cancel

        """)
  }

  @Test func subscriptionIsCalledPrint() {
    let text = printed { lines in _ = Just(1).print("inner", to: lines).print("outer", to: lines).recorded() }
    #expect(text.contains("inner: receive subscription: (Just)\nouter: receive subscription: (Print)\n"))
  }

  @Test func withoutAStreamItWritesToStandardOutput() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      _ = Just(1).print("plain").sink { _ in }
    }
    let text = String(decoding: result.standardOutputContent, as: UTF8.self)
    #expect(
      text.contains(
        """
        plain: receive subscription: (Just)
        plain: request unlimited
        plain: receive value: (1)
        plain: receive finished

        """))
  }

  @Test func keepsTheRules() {
    expectOperatorRules("Print") { upstream, token in upstream.print(to: TokenStream(token: token)) }
  }

  private struct TokenStream: TextOutputStream {
    let token: LifetimeCounter.Token

    func write(_ string: String) {}
  }

  @Test func streamMayBeEnteredFromAnotherThreadAndFromItself() {
    let source = PassthroughSubject<Int, Never>()
    let stream = ReentrantStream()
    let recorder = Recorder<Int, Never>(demand: .max(1))
    stream.onWrite = { [unowned recorder] in
      if $0.contains("value: (1)") {
        recorder.request(.max(1))
        #expect(onOtherThread { recorder.request(.max(2)) })
      }
    }
    source.print(to: stream).subscribe(recorder)
    source.send(1)
    source.send(2)
    #expect(recorder.log == ["1", "2"])
    #expect(
      stream.lines == [
        "receive subscription: (PassthroughSubject)\n", "request max: (1)\n", "receive value: (1)\n",
        "request max: (1)\n", "request max: (2)\n", "receive value: (2)\n",
      ])
  }

  private final class ReentrantStream: TextOutputStream {
    var onWrite: ((String) -> Void)?
    var lines: [String] = []

    func write(_ string: String) {
      lines.append(string)
      onWrite?(string)
    }
  }

  @Test func linesOfSeveralThreadsComeWhole() {
    let stream = ReentrantStream()
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.print(to: stream).recorded(demand: .max(1))
    inParallel(4) { index in
      for _ in 0..<200 { index == 0 ? subject.send(7) : recorder.request(.max(1)) }
    }
    #expect(stream.lines.count == 2 + 600 + recorder.values.count)
    #expect(stream.lines.allSatisfy { $0.last == "\n" && $0.count { $0 == "\n" } == 1 })
  }
}
