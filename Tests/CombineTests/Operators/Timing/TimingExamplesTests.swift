import Combine
import Dispatch
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Operators/Timing, as written there.
// swift-format-ignore
@Suite struct TimingExamplesTests {
  private let print = ExampleOutput()

  @Test func collectByTime() async {
    let readings = PassthroughSubject<Int, Never>()
    let cancellable = readings
      .collect(.byTimeOrCount(DispatchQueue.global(), .seconds(1), 100))
      .sink { print($0.count, "readings") }
    for reading in 1...100 { readings.send(reading) }
    // More than one delivery if the machine is so busy that a second has passed.
    await until { print.lines.compactMap { Int($0.prefix { $0 != " " }) }.reduce(0, +) == 100 }
    withExtendedLifetime(cancellable) {}
  }

  @Test func debounce() async {
    let typed = PassthroughSubject<String, Never>()
    let cancellable = typed
      .debounce(for: .milliseconds(300), scheduler: DispatchQueue.global())
      .sink { print("search for", $0) }
    typed.send("a")
    await until { print.line == "search for a" }
    withExtendedLifetime(cancellable) {}
  }

  @Test func delay() async {
    let cancellable = Just(1)
      .delay(for: .milliseconds(10), scheduler: DispatchQueue.global())
      .sink { print($0) }
    await until { print.line == "1" }
    withExtendedLifetime(cancellable) {}
  }

  @Test func measureInterval() {
    let ticks = PassthroughSubject<Void, Never>()
    let cancellable = ticks
      .measureInterval(using: DispatchQueue.global())
      .sink { print($0.magnitude, "nanoseconds") }
    ticks.send()
    ticks.send()
    #expect(print.lines.count == 2)
    #expect(print.lines.allSatisfy { $0.hasSuffix(" nanoseconds") })
    withExtendedLifetime(cancellable) {}
  }

  @Test func receiveOn() async {
    let cancellable = [1, 2].publisher
      .receive(on: DispatchQueue.global())
      .sink { print($0) }
    await until { print.line == "1, 2" }
    withExtendedLifetime(cancellable) {}
  }

  @Test func subscribeOn() async {
    let cancellable = [1, 2].publisher
      .subscribe(on: DispatchQueue.global())
      .sink { print($0) }
    await until { print.line == "1, 2" }
    withExtendedLifetime(cancellable) {}
  }

  @Test func throttle() async {
    let positions = PassthroughSubject<Int, Never>()
    let cancellable = positions
      .throttle(for: .milliseconds(100), scheduler: DispatchQueue.global(), latest: true)
      .sink { print($0) }
    positions.send(1)
    await until { print.line == "1" }
    withExtendedLifetime(cancellable) {}
  }

  @Test func timeout() async {
    let answers = PassthroughSubject<Int, Never>()
    let cancellable = answers
      .timeout(.seconds(5), scheduler: DispatchQueue.global())
      .sink { print($0) } receiveValue: { print($0) }
    answers.send(7)
    answers.send(completion: .finished)
    await until { print.lines.last == "finished" }
    // Without the value if the machine is so busy that five seconds have passed.
    #expect(["7, finished", "finished"].contains(print.line))
    withExtendedLifetime(cancellable) {}
  }
}
