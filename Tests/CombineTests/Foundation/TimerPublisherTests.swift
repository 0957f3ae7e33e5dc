#if INTERFLOW_FOUNDATION
  import Combine
  import Foundation
  import InterflowTestSupport
  import InterflowTesting
  import Testing

  /// Ticks are waited for, never timed: how long they take decides nothing.
  @Suite("Timer.publish")
  struct TimerPublisherTests {
    /// A thread that runs its run loop to the end of the tests.
    final class LoopThread: @unchecked Sendable {  // `runLoop` is set before anybody sees it, and never again.
      private(set) var runLoop = RunLoop.main

      init() {
        let ready = Latch()
        let passedLoop = Shared<RunLoop?>(nil)
        Thread {
          let loop = RunLoop.current
          // A loop without a source returns at once.
          let source = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
          loop.add(source, forMode: .common)
          passedLoop.value = loop
          ready.open()
          while loop.run(mode: .default, before: .distantFuture) {}
        }.start()
        ready.wait()
        if let loop = passedLoop.value { runLoop = loop }
      }
    }

    enum Place: CaseIterable {
      case main, ownThread

      static let thread = LoopThread()

      var runLoop: RunLoop { self == .main ? .main : Self.thread.runLoop }
    }

    func publisher(on place: Place, every interval: TimeInterval = 0.005) -> Timer.TimerPublisher {
      Timer.publish(every: interval, on: place.runLoop, in: .common)
    }

    /// A recorder, and what fires for each value that it gets.
    func observe(
      _ publisher: some Publisher<Date, Never>, demand: Subscribers.Demand = .unlimited
    ) -> (RecordingSubscriber<Date, Never>, Signal) {
      let (recorder, ticked) = (RecordingSubscriber<Date, Never>(initialDemand: demand), Signal())
      recorder.onValue = { _ in ticked.fire() }
      publisher.subscribe(recorder)
      return (recorder, ticked)
    }

    // MARK: Values

    @Test func theArgumentsCanBeRead() {
      let publisher = Timer.publish(every: 2, tolerance: 0.5, on: .current, in: .default)
      #expect(publisher.interval == 2)
      #expect(publisher.tolerance == 0.5)
      #expect(publisher.runLoop === RunLoop.current)
      #expect(publisher.mode == .default)
      #expect(publisher.options == nil)
    }

    @Test(arguments: Place.allCases)
    func ticksAreDatesInOrder(_ place: Place) async {
      let start = Date()
      let (recorder, ticked) = observe(publisher(on: place).autoconnect())
      await ticked.wait(3)
      recorder.cancel()
      let dates = recorder.values
      #expect(dates.sorted() == dates)
      #expect(dates[0] > start)
      #expect(recorder.completions == 0)
    }

    @Test func subscriptionsAreNamed() {
      let (recorder, _) = observe(publisher(on: .main))
      #expect(recorder.subscriptionNames == ["Timer"])
      recorder.cancel()
    }

    // The test runner's main queue need not be on the main thread.
    @Test func onTheMainRunLoopTicksComeOnTheMainQueue() async {
      let key = DispatchSpecificKey<String>()
      DispatchQueue.main.setSpecific(key: key, value: "main")
      let (queues, ticked) = (Shared<[String?]>([]), Signal())
      let cancellable = publisher(on: .main).autoconnect().sink { _ in
        queues.update { $0.append(DispatchQueue.getSpecific(key: key)) }
        ticked.fire()
      }
      await ticked.wait(2)
      cancellable.cancel()
      #expect(Set(queues.value) == ["main"])
    }

    @Test(arguments: Place.allCases, [0, -1])
    func anIntervalOfNothingTicks(_ place: Place, _ interval: TimeInterval) async {
      let (recorder, ticked) = observe(
        Timer.publish(every: interval, tolerance: -1, on: place.runLoop, in: .common).autoconnect())
      await ticked.wait(2)
      recorder.cancel()
    }

    @Test func ticksMayBeAwaited() async {
      var count = 0
      for await _ in publisher(on: .main).autoconnect().values {
        count += 1
        if count == 3 { break }
      }
      #expect(count == 3)
    }

    // MARK: Connections

    @Test(arguments: Place.allCases)
    func nothingTicksBeforeTheConnection(_ place: Place) async {
      let (timer, other) = (publisher(on: place), publisher(on: place).autoconnect())
      let (recorder, ticked) = observe(timer)
      let (clock, clockTicked) = observe(other)
      await clockTicked.wait(3)
      #expect(recorder.values.isEmpty)
      let connection = timer.connect()
      await ticked.wait(2)
      connection.cancel()
      clock.cancel()
    }

    @Test(arguments: Place.allCases)
    func cancellingTheConnectionStopsItForAllUntilTheNext(_ place: Place) async {
      let timer = publisher(on: place)
      let (first, firstTicked) = observe(timer)
      let (second, secondTicked) = observe(timer)
      let connection = timer.connect()
      await firstTicked.wait(2)
      await secondTicked.wait(2)
      await cancelInLoop(connection, place)
      let counts = [first.values.count, second.values.count]
      let (clock, clockTicked) = observe(publisher(on: place).autoconnect())
      await clockTicked.wait(3)
      #expect([first.values.count, second.values.count] == counts)
      connection.cancel()

      let next = timer.connect()
      await firstTicked.wait(counts[0] + 2)
      await secondTicked.wait(counts[1] + 2)
      connection.cancel()
      await firstTicked.wait(first.values.count + 2)
      next.cancel()
      clock.cancel()
    }

    /// Cancels where the ticks come, so that none is under way afterwards.
    func cancelInLoop(_ connection: any Cancellable, _ place: Place) async {
      let box = UncheckedBox(connection)  // Only the run loop uses it until the signal.
      let cancelled = Signal()
      place.runLoop.schedule {
        box.value.cancel()
        cancelled.fire()
      }
      await cancelled.wait()
    }

    @Test(arguments: Place.allCases)
    func connectingAgainGivesTheSameConnection(_ place: Place) async {
      let timer = publisher(on: place)
      let shared = timer.autoconnect()
      let (recorder, ticked) = observe(shared)
      await ticked.wait(1)
      // The way to stop a timer that connects by itself.
      await cancelInLoop(shared.upstream.connect(), place)
      let count = recorder.values.count
      let (clock, clockTicked) = observe(publisher(on: place).autoconnect())
      await clockTicked.wait(3)
      #expect(recorder.values.count == count)
      clock.cancel()
      recorder.cancel()
    }

    @Test(arguments: Place.allCases)
    func aConnectionThatNobodyKeepsLasts(_ place: Place) async {
      let ticked = Signal()
      let cancellable: AnyCancellable
      do {
        let timer = publisher(on: place)
        cancellable = timer.sink { _ in ticked.fire() }
        _ = timer.connect()
      }
      await ticked.wait(3)
      cancellable.cancel()
    }

    // MARK: Several subscribers

    @Test(arguments: Place.allCases)
    func theOthersGoOnWhenOneCancels(_ place: Place) async {
      let timer = publisher(on: place).autoconnect()
      let (first, firstTicked) = observe(timer)
      let (second, secondTicked) = observe(timer)
      await firstTicked.wait(1)
      await secondTicked.wait(1)
      first.cancel()
      await secondTicked.wait(second.values.count + 3)
      second.cancel()
      let (third, thirdTicked) = observe(timer)
      await thirdTicked.wait(2)
      third.cancel()
    }

    @Test(arguments: Place.allCases)
    func aConnectedTimerTicksForWhoComesAfterAllHadLeft(_ place: Place) async {
      let timer = publisher(on: place)
      let connection = timer.connect()
      for _ in 0..<3 {
        let (recorder, ticked) = observe(timer)
        await ticked.wait(2)
        recorder.cancel()
      }
      connection.cancel()
    }

    @Test func subscribersComeAndGoOnSeveralThreads() async {
      for place in Place.allCases {
        let timer = UncheckedBox(publisher(on: place, every: 0.0005).autoconnect())  // Meant for several threads.
        inParallel(4) { _ in
          for _ in 0..<100 { timer.value.sink { _ in }.cancel() }
        }
        let (recorder, ticked) = observe(timer.value)
        await ticked.wait(2)
        recorder.cancel()
      }
    }

    // MARK: Demand

    @Test(arguments: Place.allCases)
    func ticksThatNobodyAskedForAreMissed(_ place: Place) async {
      let timer = publisher(on: place).autoconnect()
      let (clock, clockTicked) = observe(timer)
      let (recorder, ticked) = observe(timer, demand: .max(2))
      await ticked.wait(2)
      await clockTicked.wait(clock.values.count + 3)
      #expect(recorder.values.count == 2)
      recorder.request(.max(1))
      await ticked.wait(3)
      await clockTicked.wait(clock.values.count + 3)
      #expect(recorder.values.count == 3)
      recorder.cancel()
      clock.cancel()
    }

    @Test func aRequestForNothingIsAllowed() async {
      let timer = publisher(on: .ownThread)
      let (clock, clockTicked) = observe(timer)
      let (recorder, _) = observe(timer, demand: .none)
      recorder.request(.none)
      let connection = timer.connect()
      await clockTicked.wait(3)
      #expect(recorder.values.isEmpty)
      recorder.cancel()
      clock.cancel()
      connection.cancel()
    }

    // MARK: Cancellation and lifetime

    @Test(arguments: Place.allCases)
    func aTickMayCancelItsSubscription(_ place: Place) async {
      let (recorder, ticked) = (RecordingSubscriber<Date, Never>(), Signal())
      let timer = publisher(on: place).autoconnect()
      recorder.onValue = { [unowned recorder] _ in
        recorder.cancel()
        ticked.fire()
      }
      timer.subscribe(recorder)
      await ticked.wait()
      let (clock, clockTicked) = observe(timer)
      await clockTicked.wait(3)
      #expect(recorder.values.count == 1)
      clock.cancel()
    }

    @Test(arguments: Place.allCases)
    func theLastCancellationReleasesEverything(_ place: Place) async {
      let counter = LifetimeCounter()
      let ticked = Signal()
      do {
        let (token, other) = (counter.make(), counter.make())
        let timer = publisher(on: place).autoconnect()
        let first = timer.sink { _ in
          token.touch()
          ticked.fire()
        }
        let second = timer.sink { _ in other.touch() }
        await ticked.wait(2)
        first.cancel()
        second.cancel()
      }
      // A tick may be running; it releases the closures when it ends.
      await until { counter.count == 0 }
    }

    @Test(arguments: Place.allCases)
    func aConnectionWithoutSubscribersKeepsNothing(_ place: Place) async {
      let counter = LifetimeCounter()
      let ticked = Signal()
      do {
        let token = counter.make()
        let timer = publisher(on: place)
        _ = timer.connect()
        let cancellable = timer.sink { _ in
          token.touch()
          ticked.fire()
        }
        await ticked.wait(1)
        cancellable.cancel()
      }
      await until { counter.count == 0 }
    }

    @Test func noLockIsHeldDuringATick() async {
      let timer = UncheckedBox(publisher(on: .ownThread).autoconnect())  // Meant for several threads.
      let isFree = Shared<Bool?>(nil)
      let ticked = Signal()
      let cancellable = timer.value.prefix(1).sink { _ in
        isFree.value = onOtherThread {
          timer.value.sink { _ in }.cancel()
          timer.value.upstream.connect().cancel()
        }
        ticked.fire()
      }
      await ticked.wait()
      #expect(isFree.value == true)
      cancellable.cancel()
    }
  }
#endif
