import Foundation
import Interflow
import Testing

@Suite("NotificationCenter.notifications", .timeLimit(.minutes(5)))
struct NotificationsTests {
  static let renamed = Notification.Name("renamed")
  static let moved = Notification.Name("moved")

  /// A center that knows how many observers it has.
  private final class CountingCenter: NotificationCenter, @unchecked Sendable {  // `observers` protects itself.
    let observers = Shared(0)

    override func addObserver(
      forName name: NSNotification.Name?, object: Any?, queue: OperationQueue?,
      using block: @Sendable @escaping (Notification) -> Void
    ) -> any NSObjectProtocol {
      observers.update { $0 += 1 }
      return super.addObserver(forName: name, object: object, queue: queue, using: block)
    }

    override func removeObserver(_ observer: Any) {
      observers.update { $0 -= 1 }
      super.removeObserver(observer)
    }
  }

  private let center = CountingCenter()

  private func post(_ number: Int, object: Any? = nil) {
    center.post(name: Self.renamed, object: object, userInfo: ["number": number])
  }

  // MARK: Values

  @Test func nothingPostedSinceTheIteratorWasMadeIsMissed() async {
    let notifications = center.notifications(named: Self.renamed)
    post(0)
    #expect(center.observers.value == 0)
    var iterator = notifications.makeAsyncIterator()
    #expect(center.observers.value == 1)
    for number in 1...1_000 { post(number) }
    center.post(name: Self.moved, object: nil)
    for number in 1...1_000 {
      let notification = await iterator.next()
      #expect(notification?.name == Self.renamed)
      #expect(notification?.userInfo?["number"] as? Int == number)
    }
  }

  @Test func aLoopThatWaitsGetsWhatIsPosted() async {
    let (center, taken) = (center, Signal())
    let task = Task {
      var numbers: [Int] = []
      for await notification in center.notifications(named: Self.renamed) {
        numbers.append(notification.userInfo?["number"] as? Int ?? -1)
        taken.fire()
        if numbers.count == 50 { break }
      }
      return numbers
    }
    await until { center.observers.value == 1 }
    for number in 0..<50 {
      post(number)
      await taken.wait(number + 1)
    }
    #expect(await task.value == Array(0..<50))
    #expect(center.observers.value == 0)
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

  @Test func cancellingTheTaskEndsTheLoopAndStopsObserving() async {
    let center = center
    let task = Task {
      var count = 0
      for await _ in center.notifications(named: Self.renamed) { count += 1 }
      return count
    }
    await until { center.observers.value == 1 }
    task.cancel()
    #expect(await task.value == 0)
    await until { center.observers.value == 0 }
  }

  @Test func aDroppedIteratorStopsObserving() {
    let notifications = center.notifications(named: Self.renamed)
    var iterator: NotificationCenter.Notifications.Iterator? = notifications.makeAsyncIterator()
    #expect(center.observers.value == 1)
    withExtendedLifetime(iterator) {}
    iterator = nil
    #expect(center.observers.value == 0)
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
