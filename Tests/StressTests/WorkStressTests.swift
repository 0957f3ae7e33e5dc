import Interflow
import InterflowTestSupport
import Testing

/// What runs async closures: `concurrentMap`, `sink(maxTasks:)`, `OneByOneSink`, and futures and deferred publishers of
/// async closures.
@Suite struct WorkStressTests {
  // MARK: concurrentMap

  @Test(arguments: StressKind.allCases) func concurrentMap(_ kind: StressKind) async {
    await stress("concurrentMap", kind) { world in Self.map(world, buffering: nil) }
  }

  @Test(arguments: StressKind.allCases) func concurrentMapWithABuffer(_ kind: StressKind) async {
    await stress("concurrentMap(buffering:)", kind) { world in
      Self.map(world, buffering: world.participant("policy").bufferingPolicy())
    }
  }

  private static func map(_ world: World, buffering: BufferingPolicy?) {
    let scene = TaskScene(world, buffering: buffering)
    let (probe, count, fatal) = (scene.probe, scene.count, scene.fatal)
    scene.play { source, work in
      source.concurrentMap(maxTasks: scene.limit ?? .max, buffering: buffering, work)
    }
    world.atEnd {
      let numbers = probe.origins.map(\.number)
      world.check(numbers.isAscending, "out of order: \(numbers)")
      world.check(numbers.allSatisfy { (0..<count).contains($0) }, "a result came of nothing: \(numbers)")
      guard scene.losesNone else { return }
      world.check(numbers == Array(0..<numbers.count), "results are no prefix of the values: \(numbers)")
      switch scene.outcome {
      case .drain, .upstreamFails:
        world.check(numbers.count == count, "\(numbers.count) results of \(count) came")
        world.check(probe.hasFinished == (scene.outcome == .drain), "it is the wrong end")
      case .taskFails where fatal < count:
        world.check(numbers.count == fatal, "\(numbers.count) results came before the failure of \(fatal)")
        world.check(!probe.hasFinished, "the failure is lost")
      case .cancel, .leave, .taskFails:
        break
      }
    }
  }

  // MARK: Sinks

  @Test(arguments: StressKind.allCases) func sinkWithTasks(_ kind: StressKind) async {
    await stress("sink(maxTasks:)", kind) { world in
      let limit = world.participant("limit").number(1...3)
      Self.sink(world, limit: limit) { source, complete, handle in
        source.sink(maxTasks: limit, receiveCompletion: complete, receiveValue: handle)
      }
    }
  }

  @Test(arguments: StressKind.allCases) func oneByOneSink(_ kind: StressKind) async {
    await stress("oneByOneSink", kind) { world in
      Self.sink(world, limit: 1) { source, complete, handle in
        source.oneByOneSink(receiveCompletion: complete, receiveValue: handle)
      }
    }
  }

  private static func sink(
    _ world: World, limit: Int,
    _ attach: (
      Source<TestError>, @escaping @Sendable (Subscribers.Completion<TestError>) -> Void,
      @escaping @Sendable (Item) async -> Void
    ) -> AnyCancellable
  ) {
    let participant = world.participant("world")
    let count = participant.number(0...6)
    let (fails, isCancelled) = (participant.once(in: 3), participant.once(in: 3))
    let source = Source<TestError>(
      world, count: count, ending: fails ? .failure(TestError()) : .finished, mayHold: limit)
    let work = Work(world, limit: limit)
    let ends = Shared(0)
    let token = world.counter.make()
    let cancellable = attach(
      source,
      { completion in
        token.touch()
        let isFinished = if case .finished = completion { true } else { false }
        world.check(isFinished != fails, "it is the wrong end")
        world.check(work.running == 0, "the end came while \(work.running) values were worked on")
        world.check(work.done.count == count, "the end came after \(work.done.count) of \(count)")
        ends.update { $0 += 1 }
      },
      { try? await work.run($0) })
    source.spawnSenders(participant.number(1...2))
    if isCancelled {
      world.spawn("canceller") { participant in
        for _ in 0..<participant.number(0...3) { await participant.pause() }
        participant.note("cancels")
        cancellable.cancel()
      }
    }
    world.settles { (ends.value == 1 || isCancelled) && work.running == 0 }
    world.atEnd {
      world.check(ends.value <= 1, "there are \(ends.value) ends")
      world.check(Set(work.done).count == work.done.count, "a value was handled twice: \(work.done)")
      if limit == 1 { world.check(work.done.isAscending, "out of order: \(work.done)") }
      withExtendedLifetime(cancellable) {}
    }
  }

  @Test(arguments: StressKind.allCases) func oneByOneSinkThatIsResumed(_ kind: StressKind) async {
    await stress("OneByOneSink.resume()", kind) { world in
      let participant = world.participant("world")
      let count = participant.number(0...5)
      let isCancelled = participant.once(in: 3)
      let source = Source<TestError>(world, count: count, ending: .finished, mayHold: 1)
      let numbers = Shared<[Int]>([])
      let ends = Shared(0)
      let sink = OneByOneSink<Item, TestError>(
        receiveCompletion: { _ in ends.update { $0 += 1 } },
        receiveValue: { item in numbers.update { $0.append(item.number) } })
      source.subscribe(sink)
      source.spawnSenders()
      for index in 0..<2 {
        world.spawn("resumer \(index)") { participant in
          // A resumption while nothing is at hand does nothing, so there may have to be many.
          for _ in 0..<60 {
            sink.resume()
            await participant.pause()
            if ends.value > 0 { return }
          }
        }
      }
      if isCancelled {
        world.spawn("canceller") { participant in
          await participant.pause()
          participant.note("cancels")
          sink.cancel()
        }
      }
      world.atEnd {
        world.check(numbers.value == Array(0..<numbers.value.count), "\(numbers.value) came of \(count)")
        world.check(ends.value <= 1, "there are \(ends.value) ends")
        sink.cancel()
      }
    }
  }

  // MARK: Futures

  @Test(arguments: StressKind.allCases) func future(_ kind: StressKind) async {
    await stress("Future of an async closure", kind) { world in
      let participant = world.participant("world")
      let fails = participant.once(in: 3)
      let probes = (0..<participant.number(1...3)).map {
        Probe<Int, TestError>(world, "probe \($0)") { Item.Origin($0) }
      }
      let worker = world.participant("worker")
      let runs = Shared(0)
      let future = Future<Int, TestError> { [token = world.counter.make()] () async throws(TestError) in
        token.touch()
        runs.update { $0 += 1 }
        await worker.pause()
        if fails { throw TestError() }
        return 7
      }
      for (index, probe) in probes.enumerated() {
        let cancels = participant.once(in: 3)
        world.spawn("asker \(index)") { participant in
          future.subscribe(probe)
          await participant.pause()
          if cancels { probe.cancel() } else { probe.request(.max(1)) }
        }
      }
      world.spawn("waiter") { _ in
        let value = try? await future.value
        world.check(value == (fails ? nil : 7), "the future's value is \(String(describing: value))")
      }
      world.settles { probes.allSatisfy(\.isOver) }
      world.atEnd {
        world.check(runs.value == 1, "the closure ran \(runs.value) times")
        for probe in probes where !probe.isCancelled {
          world.check(probe.origins.count == (fails ? 0 : 1), "\(probe.origins.count) values came")
          world.check(probe.completions.count == 1 && probe.hasFinished != fails, "it is the wrong end")
        }
      }
    }
  }

  @Test(arguments: StressKind.allCases) func deferred(_ kind: StressKind) async {
    await stress("Deferred of an async closure", kind) { world in
      let participant = world.participant("world")
      let fails = participant.once(in: 3)
      let probes = (0..<participant.number(1...3)).map {
        Probe<Int, TestError>(world, "probe \($0)") { Item.Origin($0) }
      }
      let worker = world.participant("worker")
      let runs = Shared(0)
      let token = world.counter.make()
      // It only makes a publisher for each subscriber, from a closure that is `Sendable`.
      let deferred = UncheckedBox(
        Deferred { () async throws(TestError) -> Int in
          token.touch()
          runs.update { $0 += 1 }
          await worker.pause()
          if fails { throw TestError() }
          return 7
        })
      for (index, probe) in probes.enumerated() {
        let cancels = participant.once(in: 3)
        world.spawn("asker \(index)") { participant in
          deferred.value.subscribe(probe)
          await participant.pause()
          if cancels { probe.cancel() } else { probe.request(.max(1)) }
        }
      }
      world.settles { probes.allSatisfy(\.isOver) }
      world.atEnd {
        world.check(runs.value <= probes.count, "the closure ran \(runs.value) times for \(probes.count)")
        for probe in probes where !probe.isCancelled {
          world.check(probe.origins.count == (fails ? 0 : 1), "\(probe.origins.count) values came")
          world.check(probe.completions.count == 1 && probe.hasFinished != fails, "it is the wrong end")
        }
      }
    }
  }
}

extension Item.Origin {
  fileprivate init(_ number: Int) { self.init(sender: 0, number: number) }
}
