import Interflow
import InterflowTestSupport
import Testing

/// The examples of *Cancellation and lifetimes*, as written there; what they print is compared with what the page says.
// swift-format-ignore
@Suite struct CancellationAndLifetimesExamplesTests {
  private let print = ExampleOutput()

  @Test func releasingTheCancellable() {
    final class Model {}

    let numbers = PassthroughSubject<Int, Never>()
    var model: Model? = Model()
    weak let retained = model
    var cancellables: Set<AnyCancellable> = []
    numbers
      .sink { [model] number in withExtendedLifetime(model) { print(number) } }
      .store(in: &cancellables)
    model = nil
    print(retained == nil)  // false
    cancellables.removeAll()
    print(retained == nil)  // true
    #expect(print.lines == ["false", "true"])
  }

  @Test func aCompletionReleases() {
    final class Model {}

    let numbers = PassthroughSubject<Int, Never>()
    var model: Model? = Model()
    weak let retained = model
    let cancellable = numbers
      .sink { [model] number in withExtendedLifetime(model) { print(number) } }
    model = nil
    print(retained == nil)  // false
    numbers.send(completion: .finished)
    print(retained == nil)  // true
    withExtendedLifetime(cancellable) {}
    #expect(print.lines == ["false", "true"])
  }

  @Test func leavingALoopCancels() async {
    let watched = CurrentValueSubject<Int, Never>(1)
      .handleEvents(receiveCancel: { print("cancelled") })
    for await number in watched.asyncValues {
      print(number)
      break
    }
    print("left")
    // 1, cancelled, left
    #expect(print.lines == ["1", "cancelled", "left"])
  }

  @Test func cancellingATaskEndsItsLoop() async {
    let numbers = PassthroughSubject<Int, Never>()
    let subscribed = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      let watched = numbers
        .handleEvents(
          receiveCancel: { print("cancelled") },
          receiveRequest: { _ in subscribed.continuation.yield() })
      for await number in watched.asyncValues { print(number) }
      print("ended", Task.isCancelled)
    }
    for await _ in subscribed.stream { break }
    task.cancel()
    await task.value
    // cancelled, ended true
    #expect(print.lines.sorted() == ["cancelled", "ended true"])
  }

  @Test func aStreamOutlivesItsLoop() async {
    let numbers = PassthroughSubject<Int, Never>()
    let stream = numbers.asyncStream()
    for number in 1...3 { numbers.send(number) }
    for await number in stream {
      print("first loop", number)
      break
    }
    stream.cancel()
    for await number in stream { print("second loop", number) }
    print("done")
    // first loop 1, done
    #expect(print.lines == ["first loop 1", "done"])
  }

  @Test func fromASubscriptionToATask() async {
    let started = AsyncStream.makeStream(of: Void.self)
    let ended = AsyncStream.makeStream(of: Void.self)
    let cancellable = ["a", "b"].publisher
      .task(maxPublishers: .max(2)) { page -> String in
        started.continuation.yield()
        do {
          try await Task.sleep(for: .seconds(3600))
        } catch {
          print(error is CancellationError)
        }
        ended.continuation.yield()
        return page
      }
      .sink { print("result", $0) }
    for await _ in started.stream.prefix(2) {}
    cancellable.cancel()
    for await _ in ended.stream.prefix(2) {}
    // true, true
    #expect(print.lines == ["true", "true"])
  }

  @Test func senders() async throws {
    let channel = AsyncChannel<Int, Never>()
    let sender = Task { try await channel.send(1) }
    sender.cancel()
    print((await sender.result).map { "sent" })

    let next = Task { try await channel.send(2) }
    print(await channel.firstValue() ?? 0)
    try await next.value
    // failure(Swift.CancellationError()), 2
    #expect(print.lines == ["failure(Swift.CancellationError())", "2"])
  }

  @Test func nothingAfterCancel() {
    var cancellable: AnyCancellable?
    let numbers = PassthroughSubject<Int, Never>()
    cancellable = numbers.sink { number in
      print(number)
      if number == 2 { cancellable?.cancel() }
    }
    for number in 1...5 { numbers.send(number) }
    // 1, 2
    #expect(print.lines == ["1", "2"])
  }
}
