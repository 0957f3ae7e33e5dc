import Foundation
import Interflow
import Testing

// How a published article on letting Combine and async/await work together handles notifications one at a time.
//
// Deviations:
// - `asyncPrint` prints to the test's console and waits for a second that takes no time.
// - The article posts at once, and hopes that the task listens by then. Here something is posted until it does.
// - The task is kept, to be cancelled when the test is over.

@Suite struct ArticleNotificationsTests {
  private let console = Console()

  private func asyncPrint(value: String) async {
    console.print("hello \(value)")
    await console.waitASecond()
  }

  @Test func eachIsHandledWhenTheOneBeforeIsDone() async {
    let n = Notification.Name("event")
    let task = Task {
      for await value in NotificationCenter.default.notifications(named: n, object: nil) {
        if let str = value.object as? String {
          await asyncPrint(value: str)
        }
      }
    }
    while console.lines.isEmpty {
      NotificationCenter.default.post(name: n, object: "is anybody there")
      await Task.yield()
    }

    NotificationCenter.default.post(name: n, object: "event1")
    NotificationCenter.default.post(name: n, object: "event2")
    NotificationCenter.default.post(name: n, object: "event3")

    while !console.lines.contains("hello event3") { await Task.yield() }
    let greetings = console.lines.filter { $0.hasPrefix("hello event") }
    #expect(greetings == ["hello event1", "hello event2", "hello event3"])
    // Never two greetings at once: each has had its second first.
    for (line, following) in zip(console.lines, console.lines.dropFirst()) {
      #expect(line.hasPrefix("hello") != following.hasPrefix("hello"))
    }
    task.cancel()
    await task.value
  }
}
