import Dispatch
import Interflow
import InterflowTestSupport
import Testing

/// The examples of *Threads: who delivers what where*, as written there; what they print is compared with what the page says.
// swift-format-ignore
@Suite struct ThreadsExamplesTests {
  private let print = ExampleOutput()

  @MainActor @Test func aSinkOnAnActor() async {
    let readings = PassthroughSubject<Int, Never>()
    let thermometer = Thermometer()
    thermometer.follow(readings)
    DispatchQueue.global().async { readings.send(21) }
    await until { thermometer.reading == 21 }
  }

  @Test func aSenderDelivers() {
    let queue = DispatchQueue(label: "sensor")
    let readings = PassthroughSubject<Int, Never>()
    let cancellable = readings.sink { reading in
      dispatchPrecondition(condition: .onQueue(queue))
      print("received", reading)
    }
    queue.async {
      readings.send(21)
      print("sent")
    }
    queue.sync {}  // received 21, sent
    withExtendedLifetime(cancellable) {}
    #expect(print.lines == ["received 21", "sent"])
  }

  @Test func oneSignalAtATime() {
    let numbers = PassthroughSubject<Int, Never>()
    var sum = 0
    let cancellable = numbers.sink { sum += $0 }
    DispatchQueue.concurrentPerform(iterations: 1000) { numbers.send($0) }
    print(sum)  // 499500
    withExtendedLifetime(cancellable) {}
    #expect(print.lines == ["499500"])
  }

  @Test func sendingFromInsideASubscriber() {
    let numbers = PassthroughSubject<Int, Never>()
    let first = numbers.sink { number in
      print("first", number)
      if number == 1 { numbers.send(2) }
    }
    let second = numbers.sink { print("second", $0) }
    numbers.send(1)
    // first 1, first 2, second 2, second 1
    withExtendedLifetime((first, second)) {}
    #expect(print.lines == ["first 1", "first 2", "second 2", "second 1"])
  }

  @Test func subjectsThatSendToEachOther() {
    let left = PassthroughSubject<Int, Never>()
    let right = PassthroughSubject<Int, Never>()
    var received = 0
    let forward = left.sink { number in
      received += 1
      if number > 0 { right.send(number - 1) }
    }
    let back = right.sink { number in
      if number > 0 { left.send(number - 1) }
    }
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for _ in 1...100 {
        if thread == 0 { left.send(5) } else { right.send(5) }
      }
    }
    print(received)  // 600
    withExtendedLifetime((forward, back)) {}
    #expect(print.lines == ["600"])
  }

  @Test func movingToAnotherThread() {
    let database = DispatchQueue(label: "database")
    let results = DispatchQueue(label: "results")
    let done = DispatchSemaphore(value: 0)
    let cancellable = Deferred {
      dispatchPrecondition(condition: .onQueue(database))
      return Just("a row")
    }
    .subscribe(on: database)
    .receive(on: results)
    .sink { _ in
      done.signal()
    } receiveValue: { row in
      dispatchPrecondition(condition: .onQueue(results))
      print(row)
    }
    done.wait()  // a row
    withExtendedLifetime(cancellable) {}
    #expect(print.lines == ["a row"])
  }

  @Test func aLoopReceivesWhereItRuns() async {
    @MainActor
    func show(_ readings: some AsyncSequence<Int, Never>) async {
      for await reading in readings {
        MainActor.preconditionIsolated()
        print(reading)
      }
    }

    let readings = PassthroughSubject<Int, Never>()
    let stream = readings.asyncStream()
    DispatchQueue.global().async {
      readings.send(21)
      readings.send(completion: .finished)
    }
    await show(stream)  // 21
    #expect(print.lines == ["21"])
  }

  @MainActor
  final class Thermometer {
    private(set) var reading = 0
    private var cancellable: AnyCancellable?

    func follow(_ readings: some Publisher<Int, Never>) {
      cancellable = readings.sink(isolation: #isolation) { [weak self] in self?.reading = $0 }
    }
  }

  @Test func whereAsyncClosuresRun() async {
    let titles = ["a", "b"].publisher
      .concurrentMap(maxTasks: 2) { title in
        title.uppercased()
      }
      .concurrentMap(maxTasks: 2) { @MainActor title in
        MainActor.preconditionIsolated()
        return title + "!"
      }
    for await title in titles.asyncValues { print(title) }  // A!, B!
    #expect(print.lines == ["A!", "B!"])
  }
}
