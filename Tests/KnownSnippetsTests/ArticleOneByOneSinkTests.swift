import Combine
import Foundation
import Testing

// The sink of a published article on letting Combine and async/await work together, in the version that asks for a
// value when it is told that the one before is done; compiled against this Combine, and what the article does with it.
//
// Deviations:
// - `fileprivate` in place of `public`, so that its names do not hide those of the package in the files beside this.
// - `asyncPrint` waits for a second that takes no time.

fileprivate extension Subscribers {
  class OneByOneSink<Input, Failure: Error>: Subscriber, Cancellable {
    let receiveValue: (Input) -> Void
    let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    var subscription: Subscription?
    var cancellable: AnyCancellable?

    public init(
      notificationName: Notification.Name,
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
      cancellable = NotificationCenter.default.publisher(for: notificationName, object: nil)
        .sink(receiveValue: { [weak self] _ in self?.resume() })
      // After receiving the callback notification, continue to request new values from Publisher
    }

    public func receive(subscription: Subscription) {
      self.subscription = subscription
      subscription.request(.max(1))
    }

    public func receive(_ input: Input) -> Subscribers.Demand {
      receiveValue(input)
      return .none  // Don't request new values after calling the function
    }

    public func receive(completion: Subscribers.Completion<Failure>) {
      receiveCompletion(completion)
    }

    public func cancel() {
      subscription?.cancel()
      subscription = nil
    }

    private func resume() {
      subscription?.request(.max(1))
    }
  }
}

fileprivate extension Publisher {
  func oneByOneSink(
    _ notificationName: Notification.Name,
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> Cancellable {
    let sink = Subscribers.OneByOneSink<Output, Failure>(
      notificationName: notificationName,
      receiveCompletion: receiveCompletion,
      receiveValue: receiveValue
    )
    self.subscribe(sink)
    return sink
  }
}

fileprivate extension Publisher where Failure == Never {
  func oneByOneSink(
    _ notificationName: Notification.Name,
    receiveValue: @escaping (Output) -> Void
  ) -> Cancellable where Failure == Never {
    let sink = Subscribers.OneByOneSink<Output, Failure>(
      notificationName: notificationName,
      receiveCompletion: { _ in },
      receiveValue: receiveValue
    )
    self.subscribe(sink)
    return sink
  }
}

@Suite struct ArticleOneByOneSinkTests {
  private let console = Console()

  private func asyncPrint(value: String) async {
    console.print("hello \(value)")
    await console.waitASecond()
  }

  @Test func theNextValueComesWhenTheOneBeforeIsDone() async {
    var cancellables = Set<AnyCancellable>()
    let publisher = PassthroughSubject<String, Never>()
    let resumeNotification = Notification.Name("resume")

    publisher
      .buffer(size: 10, prefetch: .keepFull, whenFull: .dropOldest)
      .oneByOneSink(
        resumeNotification,
        receiveValue: { value in
          Task {
            await asyncPrint(value: value)
            NotificationCenter.default.post(name: resumeNotification, object: nil)
          }
        }
      )
      .store(in: &cancellables)

    for event in ["event1", "event2", "event3"] { publisher.send(event) }

    await console.waitForLines(6)
    #expect(
      console.lines == [
        "hello event1", "Wait for 1 second", "hello event2", "Wait for 1 second", "hello event3", "Wait for 1 second",
      ])
  }

  @Test func nothingComesUnlessAskedFor() {
    let publisher = PassthroughSubject<Int, Never>()
    let resumption = Notification.Name("resume by hand")
    let cancellable =
      publisher
      .buffer(size: 10, prefetch: .keepFull, whenFull: .dropOldest)
      .oneByOneSink(resumption, receiveCompletion: { console.print("\($0)") }, receiveValue: { console.print($0) })

    for number in 1...3 { publisher.send(number) }
    publisher.send(completion: .finished)
    #expect(console.lines == ["1"])
    NotificationCenter.default.post(name: resumption, object: nil)
    #expect(console.lines == ["1", "2"])
    NotificationCenter.default.post(name: resumption, object: nil)
    #expect(console.lines == ["1", "2", "3"])
    // A buffer's completion takes a request of its own, as with Apple's.
    NotificationCenter.default.post(name: resumption, object: nil)
    #expect(console.lines == ["1", "2", "3", "finished"])
    cancellable.cancel()
  }
}
