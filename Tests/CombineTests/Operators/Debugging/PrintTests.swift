import Combine
import InterflowTestSupport
import InterflowTesting
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
      let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandForEach: { demands[$0] ?? .none })
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
    let source = TestPublisher<String, TestError>(keepsSubscribers: true)
    let failed = printed { lines in
      let recorder = source.print(to: lines).recorded(demand: .max(2))
      source.send("a")
      source.send(completion: .failure(TestError("broken")))
      recorder.cancel()
    }
    #expect(
      failed == """
        receive subscription: (TestSubscription)
        request max: (2)
        receive value: (a)
        receive error: (broken)
        receive cancel

        """)
    let cancelled = printed { lines in
      let recorder = source.print(to: lines).recorded(demand: .none)
      recorder.cancel()
      recorder.cancel()
      source.send("b")
    }
    #expect(
      cancelled == """
        receive subscription: (TestSubscription)
        receive cancel
        receive cancel
        receive value: (b)

        """)
  }

  @Test func whatComesAfterTheEndHasALineAndGoesNowhere() {
    let source = TestPublisher<String, TestError>(keepsSubscribers: true)
    let text = printed { lines in
      let recorder = RecordingSubscriber<String, TestError>(initialDemand: .max(1), demandForEach: { _ in .max(7) })
      source.print(to: lines).subscribe(recorder)
      source.send(completion: .finished)
      source.send(completion: .failure(TestError("late")))
      #expect(source.send("c") == .none)
      recorder.request(.max(5))
      recorder.cancel()
      source.subscription?.sendSubscription()
      #expect(recorder.log == ["finished"])
      #expect(recorder.subscriptions.count == 1)
    }
    #expect(
      text == """
        receive subscription: (TestSubscription)
        request max: (1)
        receive finished
        receive error: (late)
        receive value: (c)
        request max: (5)
        receive cancel
        receive subscription: (TestSubscription)

        """)
    #expect(source.requests == [.max(1)])
    #expect(source.cancellations.count == 1)
  }

  @Test func whatComesBeforeTheSubscriptionHasALine() throws {
    let source = TestPublisher<String, TestError>(keepsSubscribers: true, sendsSubscriptions: false)
    let text = try {
      let lines = Lines()
      let recorder = RecordingSubscriber<String, TestError>(initialDemand: .none, demandForEach: { _ in .max(7) })
      source.print(to: lines).subscribe(recorder)
      let subscription = try #require(source.subscription?.subscriber as? any Subscription)
      subscription.request(.max(2))
      subscription.cancel()
      #expect(source.send("a") == .max(7))
      source.send(completion: .finished)
      source.subscription?.sendSubscription()
      #expect(recorder.log == ["a", "finished"])
      return lines.text
    }()
    #expect(
      text == """
        request max: (2)
        receive cancel
        receive value: (a)
        request max: (7) (synchronous)
        receive finished
        receive subscription: (TestSubscription)

        """)
    #expect(source.cancellations.count == 1)
    #expect(source.requests == [.max(7)])
  }

  @Test func aLineIsWrittenAsPrintWritesIt() {
    let stream = ReentrantStream()
    _ = Just(1).print("p", to: stream).recorded(demand: .max(1))
    #expect(
      stream.pieces == [
        "", "p: receive subscription: (Just)", "\n", "", "p: request max: (1)", "\n", "", "p: receive value: (1)",
        "\n", "", "p: receive finished", "\n",
      ])
  }

  @Test func streamIsKeptAsLongAsTheSubscriptionMayBeUsed() {
    let (source, lifetime) = (TestPublisher<Int, TestError>(keepsSubscribers: true), LifetimeCounter())
    let recorder = source.print(to: TokenStream(token: lifetime.make())).recorded()
    recorder.cancel()
    source.releaseSubscribers()
    #expect(lifetime.count == 1)
    recorder.releaseSubscriptions()
    #expect(lifetime.count == 0)
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
    // Nothing of the token: the stream is kept to write down what comes after the end.
    expectOperatorRules("Print", earlyValue: .passes) { upstream, _ in upstream.print(to: Lines()) }
  }

  private struct TokenStream: TextOutputStream {
    let token: LifetimeCounter.Token

    func write(_ string: String) {}
  }

  @Test func streamMayBeEnteredFromAnotherThreadAndFromItself() {
    let source = PassthroughSubject<Int, Never>()
    let stream = ReentrantStream()
    let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
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
        "receive subscription: (PassthroughSubject)", "request max: (1)", "receive value: (1)", "request max: (1)",
        "request max: (2)", "receive value: (2)",
      ])
  }

  private final class ReentrantStream: TextOutputStream {
    var onWrite: ((String) -> Void)?
    var pieces: [String] = []

    /// What was written, with the end of each line left out.
    var lines: [String] { pieces.joined().split(separator: "\n").map(String.init) }

    func write(_ string: String) {
      pieces.append(string)
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
    #expect(stream.lines.allSatisfy { $0.hasPrefix("receive ") || $0.hasPrefix("request ") })
    // Each line in one go: an empty piece, the text, and the end of the line.
    for (index, piece) in stream.pieces.enumerated() {
      #expect(index % 3 == 1 ? !piece.isEmpty && !piece.contains("\n") : piece == (index % 3 == 0 ? "" : "\n"))
    }
  }
}
