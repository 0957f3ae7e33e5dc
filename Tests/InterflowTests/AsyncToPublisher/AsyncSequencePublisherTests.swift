import Interflow
import Testing

@Suite(.timeLimit(.minutes(5))) struct AsyncSequencePublisherTests {
  // MARK: Values

  @Test func elementsAndTheEndAreDelivered() async {
    let recorder = Recorder<Int, Never>()
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    CountedSequence.upTo(3).publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.log == ["0", "1", "2", "finished"])
  }

  @Test func aMillionElementsArriveInOrder() async {
    let end = Signal()
    let count = 1_000_000
    var expected = 0
    let sink = CountedSequence.upTo(count).publisher
      .sink { _ in
        end.fire()
      } receiveValue: {
        if $0 == expected { expected += 1 }
      }
    await end.wait()
    #expect(expected == count)
    withExtendedLifetime(sink) {}
  }

  @Test func oneAtATimeThroughAHundredThousandElements() async {
    let end = Signal()
    let recorder = Recorder<Int, Never>(demand: .max(1)) { _ in .max(1) }
    recorder.onCompletion = { _ in end.fire() }
    CountedSequence.upTo(100_000).publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.values == Array(0..<100_000))
  }

  @Test func typedErrorIsTheFailure() async {
    let recorder = Recorder<Int, TestError>()
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    let sequence = CountedSequence { (index) throws(TestError) in
      if index == 2 { throw TestError("typed") }
      return index
    }
    sequence.publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.values == [0, 1])
    #expect(recorder.error == TestError("typed"))
  }

  @Test func cancellationErrorOfTheSequenceItselfIsAFailure() async {
    let recorder = Recorder<Int, any Error>()
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    CountedSequence<any Error> { _ in throw CancellationError() }.publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.error is CancellationError)
  }

  @Test func eachSubscriberHasItsOwnIterator() async {
    let sequence = CountedSequence.upTo(2)
    let end = Signal()
    let recorders = [Recorder<Int, Never>(), Recorder<Int, Never>()]
    for recorder in recorders {
      recorder.onCompletion = { _ in end.fire() }
      sequence.publisher.subscribe(recorder)
    }
    await end.wait(2)
    for recorder in recorders { #expect(recorder.log == ["0", "1", "finished"]) }
    #expect(sequence.iterators.count == 2)
  }

  // MARK: Demand

  @Test func nothingIsPulledBeforeDemand() async {
    let sequence = CountedSequence.upTo(10)
    let recorder = Recorder<Int, Never>(demand: .none)
    sequence.publisher.subscribe(recorder)
    #expect(sequence.iterators.count == 1)
    for _ in 0..<100 { await Task.yield() }
    #expect(sequence.pulls.count == 0)
    recorder.request(.max(1))
    await sequence.pulls.wait()
    await until { recorder.values.count == 1 }
    for _ in 0..<100 { await Task.yield() }
    #expect(sequence.pulls.count == 1)
    recorder.cancel()
  }

  @Test func demandAddsUpAndIsNeverExceeded() async {
    let sequence = CountedSequence.upTo(1_000)
    let recorder = Recorder<Int, Never>(demand: .max(2))
    sequence.publisher.subscribe(recorder)
    recorder.request(.max(3))
    await until { recorder.values.count == 5 }
    for _ in 0..<100 { await Task.yield() }
    #expect(recorder.values.count == 5)
    #expect(sequence.pulls.count == 5)
    recorder.request(.max(1))
    await until { recorder.values.count == 6 }
    for _ in 0..<100 { await Task.yield() }
    #expect(recorder.values == [0, 1, 2, 3, 4, 5])
    recorder.cancel()
  }

  @Test func requestFromInsideReceiveAddsUp() async {
    let recorder = Recorder<Int, Never>(demand: .max(1))
    let end = Signal()
    recorder.onValue = { [unowned recorder] in if $0 < 50 { recorder.request(.max(2)) } }
    recorder.onCompletion = { _ in end.fire() }
    CountedSequence.upTo(100).publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.values == Array(0..<100))
  }

  @Test func concurrentRequestsAreAllServed() async {
    for _ in 0..<100 {
      let sequence = CountedSequence.upTo(1_000)
      let recorder = Recorder<Int, Never>(demand: .none)
      sequence.publisher.subscribe(recorder)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { for _ in 0..<10 { recorder.request(.max(1)) } } }
      }
      await until { recorder.values.count == 40 }
      for _ in 0..<20 { await Task.yield() }
      #expect(recorder.values == Array(0..<40))
      recorder.cancel()
    }
  }

  // MARK: Cancellation and lifetime

  @Test func cancelBeforeDemandReleasesTheIterator() {
    let sequence = CountedSequence.upTo(1)
    let recorder = Recorder<Int, Never>(demand: .none)
    sequence.publisher.subscribe(recorder)
    #expect(sequence.counter.count == 1)
    recorder.cancel()
    #expect(sequence.counter.count == 0)
    recorder.request(.max(1))
    #expect(sequence.pulls.count == 0)
  }

  @Test func cancelWhileItWaitsForDemandEndsTheTask() async {
    for _ in 0..<200 {
      let sequence = CountedSequence.upTo(10)
      let recorder = Recorder<Int, Never>(demand: .max(1))
      sequence.publisher.subscribe(recorder)
      await until { recorder.values.count == 1 }
      recorder.cancel()
      await until { sequence.counter.count == 0 }
      #expect(recorder.log == ["0"])
    }
  }

  @Test func cancelInsideNextIsNoticedAtOnceAndItsErrorNotReported() async {
    let cancelled = Signal()
    let sequence = CountedSequence<any Error> { _ in
      do {
        try await Task.sleep(for: .seconds(600))
      } catch {
        cancelled.fire()
        throw error
      }
      return 1
    }
    let recorder = Recorder<Int, any Error>()
    sequence.publisher.subscribe(recorder)
    await sequence.pulls.wait()
    recorder.cancel()
    await cancelled.wait()
    await until { sequence.counter.count == 0 }
    #expect(recorder.log == [])
  }

  @Test func elementThatArrivesAfterCancelIsNotDelivered() async {
    for _ in 0..<300 {
      let gate = Signal()
      let sequence = CountedSequence<Never> { index in
        await gate.wait()
        return index
      }
      let recorder = Recorder<Int, Never>()
      sequence.publisher.subscribe(recorder)
      await sequence.pulls.wait()
      recorder.cancel()
      gate.fire()
      await until { sequence.counter.count == 0 }
      #expect(recorder.log == [])
    }
  }

  @Test func subscriberIsReleasedWhileAnElementIsStillAwaited() async {
    let gate = Signal()
    let sequence = CountedSequence<Never> { index in
      await gate.wait()
      return index
    }
    var recorder: Recorder<Int, Never>? = Recorder()
    weak let released = recorder
    sequence.publisher.subscribe(recorder!)
    await sequence.pulls.wait()
    let subscription = recorder?.subscription
    recorder?.cancel()
    recorder = nil
    #expect(released == nil)
    gate.fire()
    withExtendedLifetime(subscription) {}
  }

  @Test func cancelFromInsideReceiveIsFinal() async {
    for _ in 0..<200 {
      let sequence = CountedSequence.upTo(100)
      let recorder = Recorder<Int, Never>()
      recorder.onValue = { [unowned recorder] in if $0 == 3 { recorder.cancel() } }
      sequence.publisher.subscribe(recorder)
      await until { sequence.counter.count == 0 }
      #expect(recorder.log == ["0", "1", "2", "3"])
    }
  }

  @Test func everythingIsReleasedAfterTheEnd() async {
    let end = Signal()
    let sequence = CountedSequence.upTo(3)
    var recorder: Recorder<Int, Never>? = Recorder()
    weak let released = recorder
    recorder?.onCompletion = { _ in end.fire() }
    sequence.publisher.subscribe(recorder!)
    await end.wait()
    let subscription = recorder?.subscription
    recorder = nil
    await until { released == nil && sequence.counter.count == 0 }
    withExtendedLifetime(subscription) {}
  }

  @Test func taskThatNobodyCanAskAnyMoreEnds() async {
    let sequence = CountedSequence.upTo(10)
    var recorder: Recorder<Int, Never>? = Recorder(demand: .max(2))
    sequence.publisher.subscribe(recorder!)
    await until { recorder?.values.count == 2 }
    recorder?.forgetSubscription()
    recorder = nil
    await until { sequence.counter.count == 0 }
    #expect(sequence.pulls.count == 2)
  }

  @Test func subscriptionThatIsNotKeptStillServesWhatWasAskedFor() async {
    let end = Signal()
    let recorder = Recorder<Int, Never>()
    recorder.onCompletion = { _ in end.fire() }
    recorder.onSubscription = { [unowned recorder] in
      $0.request(.unlimited)
      recorder.forgetSubscription()
    }
    CountedSequence.upTo(3).publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.values == [0, 1, 2])
  }

  // MARK: Races

  @Test func cancelRacesWithDeliveryToAPrefix() async {
    for _ in 0..<1_000 {
      let sequence = CountedSequence.upTo(20)
      let recorder = Recorder<Int, Never>()
      sequence.publisher.subscribe(recorder)
      await Task.yield()
      recorder.cancel()
      await until { sequence.counter.count == 0 }
      let values = recorder.values
      #expect(values == Array(0..<values.count))
      #expect(recorder.completions <= 1)
    }
  }

  @Test func roundTripKeepsEverything() async {
    let values = await collect(CountedSequence.upTo(10_000).publisher.asyncValues(prefetch: 16)).values
    #expect(values == Array(0..<10_000))
  }

  @Test func nothingIsPulledAfterACancelThatCameBeforeTheTask() async {
    for _ in 0..<300 {
      let sequence = CountedSequence.upTo(3)
      let pulledWhenCancelled = {
        let recorder = Recorder<Int, Never>()
        sequence.publisher.subscribe(recorder)
        recorder.cancel()
        return sequence.pulls.count
      }()
      await until { sequence.counter.count == 0 }
      // A pull under way at the cancellation counts itself in before or after; none begins later.
      #expect(sequence.pulls.count <= pulledWhenCancelled + 1)
    }
  }
}
