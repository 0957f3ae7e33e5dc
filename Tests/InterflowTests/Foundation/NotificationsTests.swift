#if INTERFLOW_FOUNDATION
  import Foundation
  import Interflow
  import InterflowTestSupport
  import Testing

  @Suite("NotificationCenter.notifications")
  struct NotificationsTests {
    static let renamed = Notification.Name("renamed")
    static let moved = Notification.Name("moved")

    private let center = NotificationCenter()

    private func post(_ number: Int, object: Any? = nil) {
      center.post(name: Self.renamed, object: object, userInfo: ["number": number])
    }

    // MARK: Values

    @Test func nothingPostedSinceTheIteratorWasMadeIsMissed() async {
      let notifications = center.notifications(named: Self.renamed)
      post(0)
      var iterator = notifications.makeAsyncIterator()
      for number in 1...1_000 { post(number) }
      center.post(name: Self.moved, object: nil)
      for number in 1...1_000 {
        let notification = await iterator.next()
        #expect(notification?.name == Self.renamed)
        #expect(notification?.userInfo?["number"] as? Int == number)
      }
    }

    @Test func aLoopThatWaitsGetsWhatIsPosted() async {
      let (center, observing, taken) = (center, Signal(), Signal())
      let task = Task {
        var iterator = center.notifications(named: Self.renamed).makeAsyncIterator()
        observing.fire()
        var numbers: [Int] = []
        while numbers.count < 50, let notification = await iterator.next() {
          numbers.append(notification.userInfo?["number"] as? Int ?? -1)
          taken.fire()
        }
        return numbers
      }
      await observing.wait()
      for number in 0..<50 {
        post(number)
        await taken.wait(number + 1)
      }
      #expect(await task.value == Array(0..<50))
    }

    @Test func onlyNotificationsOfTheObjectCome() async {
      final class Owner: Sendable {}
      let (owner, other) = (Owner(), Owner())
      var iterator = center.notifications(named: Self.renamed, object: owner).makeAsyncIterator()
      post(1, object: other)
      post(2)
      post(3, object: owner)
      #expect(await iterator.next()?.userInfo?["number"] as? Int == 3)
    }

    @Test func everyIteratorGetsEverything() async {
      let notifications = center.notifications(named: Self.renamed)
      var first = notifications.makeAsyncIterator()
      post(1)
      var second = notifications.makeAsyncIterator()
      post(2)
      #expect(await first.next()?.userInfo?["number"] as? Int == 1)
      #expect(await first.next()?.userInfo?["number"] as? Int == 2)
      #expect(await second.next()?.userInfo?["number"] as? Int == 2)
    }

    @Test func nothingIsLostThatSeveralThreadsPost() async {
      let center = center
      for _ in 0..<20 {
        var iterator = center.notifications(named: Self.renamed).makeAsyncIterator()
        inParallel(4) { thread in
          for number in 0..<100 {
            center.post(name: Self.renamed, object: nil, userInfo: ["thread": thread, "number": number])
          }
        }
        var next = [0, 0, 0, 0]
        for _ in 0..<400 {
          let information = await iterator.next()?.userInfo
          guard let thread = information?["thread"] as? Int, let number = information?["number"] as? Int else {
            Issue.record("a notification is missing")
            return
          }
          #expect(number == next[thread])
          next[thread] += 1
        }
        #expect(next == [100, 100, 100, 100])
      }
    }

    // MARK: Cancellation and lifetime

    /// An observer keeps the object that it observes, which shows whether there is one.
    @Test func cancellingTheTaskEndsTheLoopAndStopsObserving() async {
      let (center, counter, observing, proceed) = (center, LifetimeCounter(), Signal(), Signal())
      let task = Task {
        var iterator = center.notifications(named: Self.renamed, object: counter.make()).makeAsyncIterator()
        observing.fire()
        #expect(await iterator.next() == nil)
        await proceed.wait()
        #expect(await iterator.next() == nil)
      }
      await observing.wait()
      #expect(counter.count == 1)
      task.cancel()
      // The iterator is still there.
      await until { counter.count == 0 }
      proceed.fire()
      await task.value
    }

    @Test func aDroppedIteratorStopsObserving() {
      let counter = LifetimeCounter()
      var iterator: NotificationCenter.Notifications.Iterator? =
        center.notifications(named: Self.renamed, object: counter.make()).makeAsyncIterator()
      #expect(counter.count == 1)
      withExtendedLifetime(iterator) {}
      iterator = nil
      #expect(counter.count == 0)
    }

    @Test func notificationsThatNobodyTookAreReleased() {
      let counter = LifetimeCounter()
      var iterator: NotificationCenter.Notifications.Iterator? =
        center.notifications(named: Self.renamed).makeAsyncIterator()
      for _ in 0..<3 { center.post(name: Self.renamed, object: counter.make()) }
      #expect(counter.count == 3)
      withExtendedLifetime(iterator) {}
      iterator = nil
      #expect(counter.count == 0)
    }

    @Test @MainActor func notificationsAreTakenOnTheCallersActor() async {
      var iterator = center.notifications(named: Self.renamed).makeAsyncIterator()
      post(1)
      let notification = await iterator.next()
      MainActor.assertIsolated()
      #expect(notification?.object == nil)
    }
  }
#endif
