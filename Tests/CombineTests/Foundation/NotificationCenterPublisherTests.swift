#if INTERFLOW_FOUNDATION
  import Foundation
  import InterflowTestSupport
  import InterflowTesting
  import Testing

  @testable import Combine

  @Suite("NotificationCenter.publisher")
  struct NotificationCenterPublisherTests {
    static let renamed = Notification.Name("renamed")
    static let moved = Notification.Name("moved")

    let center = NotificationCenter()

    // MARK: Values

    @Test func notificationsOfTheNameComeWhole() {
      let object = NSObject()
      let recorder = center.publisher(for: Self.renamed).recorded()
      center.post(name: Self.renamed, object: object, userInfo: ["to": "a"])
      center.post(name: Self.moved, object: object)
      center.post(name: Self.renamed, object: nil)
      #expect(recorder.values.map(\.name) == [Self.renamed, Self.renamed])
      #expect(recorder.values.first?.object as? NSObject === object)
      #expect(recorder.values.first?.userInfo?["to"] as? String == "a")
      #expect(recorder.values.last?.object == nil)
      #expect(recorder.subscriptionNames == ["NotificationCenter Observer"])
      #expect(recorder.completions == 0)
    }

    @Test func onlyNotificationsOfTheObjectCome() {
      let (object, other) = (NSObject(), NSObject())
      let recorder = center.publisher(for: Self.renamed, object: object).recorded()
      center.post(name: Self.renamed, object: other)
      center.post(name: Self.renamed, object: nil)
      #expect(recorder.values.isEmpty)
      center.post(name: Self.renamed, object: object)
      #expect(recorder.values.count == 1)
    }

    @Test func notificationsOfAnotherCenterDoNotCome() {
      let recorder = center.publisher(for: Self.renamed).recorded()
      NotificationCenter.default.post(name: Self.renamed, object: nil)
      NotificationCenter().post(name: Self.renamed, object: nil)
      #expect(recorder.values.isEmpty)
    }

    @Test func eachSubscriberObservesForItself() {
      let publisher = center.publisher(for: Self.renamed)
      let (first, second) = (publisher.recorded(), publisher.recorded())
      center.post(name: Self.renamed, object: nil)
      first.cancel()
      center.post(name: Self.renamed, object: nil)
      #expect(first.values.count == 1)
      #expect(second.values.count == 2)
    }

    @Test func aNotificationPostedFromInsideComesAtOnce() {
      let recorder = center.publisher(for: Self.renamed).recorded()
      recorder.onValue = { [center] in
        if $0.object == nil { center.post(name: Self.renamed, object: NSObject()) }
      }
      center.post(name: Self.renamed, object: nil)
      #expect(recorder.values.map { $0.object == nil } == [true, false])
    }

    // MARK: Equality

    @Test func publishersOfTheSameNotificationsAreEqual() {
      let (object, other) = (NSObject(), NSObject())
      let publisher = center.publisher(for: Self.renamed, object: object)
      #expect(publisher.center === center)
      #expect(publisher.name == Self.renamed)
      #expect(publisher.object === object)
      #expect(publisher == NotificationCenter.Publisher(center: center, name: Self.renamed, object: object))
      #expect(publisher != center.publisher(for: Self.renamed, object: other))
      #expect(publisher != center.publisher(for: Self.renamed))
      #expect(publisher != center.publisher(for: Self.moved, object: object))
      #expect(publisher != NotificationCenter().publisher(for: Self.renamed, object: object))
      #expect(center.publisher(for: Self.renamed) == center.publisher(for: Self.renamed))
    }

    // MARK: Demand

    @Test func whatNobodyAskedForIsMissed() {
      let recorder = center.publisher(for: Self.renamed).recorded(demand: .none)
      func post(_ number: Int) { center.post(name: Self.renamed, object: nil, userInfo: ["number": number]) }
      post(1)
      recorder.request(.max(2))
      for number in 2...4 { post(number) }
      recorder.request(.max(1))
      for number in 5...6 { post(number) }
      #expect(recorder.values.compactMap { $0.userInfo?["number"] as? Int } == [2, 3, 5])
    }

    @Test func aSubscriberMayAskForOneMoreWithEach() {
      let recorder = RecordingSubscriber<Notification, Never>(initialDemand: .max(1), demandForEach: { _ in .max(1) })
      center.publisher(for: Self.renamed).subscribe(recorder)
      for _ in 0..<5 { center.post(name: Self.renamed, object: nil) }
      #expect(recorder.values.count == 5)
    }

    @Test func aRequestForNothingIsAllowed() {
      let recorder = center.publisher(for: Self.renamed).recorded(demand: .none)
      recorder.request(.none)
      center.post(name: Self.renamed, object: nil)
      #expect(recorder.values.isEmpty)
      recorder.request(.max(1))
      recorder.request(.none)
      for _ in 0..<2 { center.post(name: Self.renamed, object: nil) }
      #expect(recorder.values.count == 1)
    }

    // MARK: Cancellation and lifetime

    private func isObserving(_ recorder: RecordingSubscriber<Notification, Never>) -> Bool? {
      (recorder.subscription as? ObservationLink)?.isObserving
    }

    @Test func cancellingStopsObserving() {
      let recorder = center.publisher(for: Self.renamed).recorded()
      #expect(isObserving(recorder) == true)
      recorder.cancel()
      recorder.cancel()
      #expect(isObserving(recorder) == false)
      center.post(name: Self.renamed, object: nil)
      recorder.request(.unlimited)
      #expect(recorder.log.isEmpty)
    }

    @Test func aSubscriberMayCancelFromInside() {
      let early = RecordingSubscriber<Notification, Never>()
      early.onSubscription = { $0.cancel() }
      center.publisher(for: Self.renamed).subscribe(early)
      let late = center.publisher(for: Self.renamed).recorded()
      late.onValue = { [unowned late] _ in late.cancel() }
      for _ in 0..<2 { center.post(name: Self.renamed, object: nil) }
      #expect(early.values.isEmpty)
      #expect(late.values.count == 1)
      #expect(isObserving(late) == false)
    }

    final class Owner {
      let token: LifetimeCounter.Token
      init(_ token: LifetimeCounter.Token) { self.token = token }
    }

    @Test func theObjectLivesAsLongAsItIsObserved() {
      let counter = LifetimeCounter()
      var publisher: NotificationCenter.Publisher? = center.publisher(for: Self.renamed, object: Owner(counter.make()))
      #expect(counter.count == 1)
      let recorder = publisher?.recorded()
      publisher = nil
      #expect(counter.count == 1)
      recorder?.cancel()
      #expect(counter.count == 0)
    }

    @Test func cancellingReleasesTheSubscriber() {
      let counter = LifetimeCounter()
      do {
        let token = counter.make()
        let cancellable = center.publisher(for: Self.renamed).sink { _ in token.touch() }
        center.post(name: Self.renamed, object: nil)
        cancellable.cancel()
      }
      #expect(counter.count == 0)
      do {
        let token = counter.make()
        let cancellable = center.publisher(for: Self.renamed).sink { _ in token.touch() }
        center.post(name: Self.renamed, object: nil)
        withExtendedLifetime(cancellable) {}
      }
      #expect(counter.count == 0)
    }

    // MARK: Threads

    @Test func notificationsOfSeveralThreadsComeOneAtATimeAndNoneIsLost() {
      struct Posted: Hashable, Sendable {
        var thread: Int
        var number: Int
      }

      let inside = Shared(0)
      let recorder = RecordingSubscriber<Notification, Never>()
      recorder.onValue = { _ in
        #expect(
          inside.update { inside in
            inside += 1
            return inside
          } == 1)
        inside.update { $0 -= 1 }
      }
      center.publisher(for: Self.renamed).subscribe(recorder)
      let center = UncheckedBox(self.center)  // Made for several threads.
      inParallel(4) { thread in
        for number in 0..<200 {
          let posted = Posted(thread: thread, number: number)
          center.value.post(name: Self.renamed, object: nil, userInfo: ["posted": posted])
        }
      }
      let posted = recorder.values.compactMap { $0.userInfo?["posted"] as? Posted }
      #expect(posted.count == 800)
      for thread in 0..<4 {
        #expect(posted.filter { $0.thread == thread }.map(\.number) == Array(0..<200))
      }
    }

    @Test func noLockIsHeldDuringADelivery() {
      let center = UncheckedBox(self.center)  // Made for several threads.
      let recorder = center.value.publisher(for: Self.renamed).recorded()
      recorder.onValue = { _ in
        let isFree = onOtherThread {
          center.value.publisher(for: Self.renamed).recorded().cancel()
          center.value.post(name: Self.moved, object: nil)
        }
        #expect(isFree)
      }
      center.value.post(name: Self.renamed, object: nil)
      #expect(recorder.values.count == 1)
    }

    @Test func cancellationsMayRaceWithNotifications() {
      let center = UncheckedBox(self.center)  // Made for several threads.
      for _ in 0..<100 {
        let recorder = UncheckedBox(center.value.publisher(for: Self.renamed).recorded())  // Guards itself.
        inParallel(2) { thread in
          if thread == 0 {
            for _ in 0..<20 { center.value.post(name: Self.renamed, object: nil) }
          } else {
            recorder.value.cancel()
          }
        }
        let count = recorder.value.values.count
        center.value.post(name: Self.renamed, object: nil)
        #expect(recorder.value.values.count == count)
      }
    }
  }
#endif
