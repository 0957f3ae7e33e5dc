import AsyncOperators
import InterflowTestSupport
import Testing

/// The examples of the documentation, as written there; what they print is compared with what they say.
@Suite struct SharingExamplesTests {
  /// Takes the place of the standard output, under whose name the examples call it.
  private final class Output: Sendable {
    private let printed = Shared<[String]>([])

    var line: String { printed.value.joined(separator: ", ") }

    func callAsFunction(_ values: Any...) {
      printed.update { $0.append(values.map { "\($0)" }.joined(separator: " ")) }
    }
  }

  private let print = Output()

  @Test func asyncSubject() {
    func report(_ value: Int, to subject: some AsyncSubject<Int, Never>) {
      subject.send(value)
    }
    let subject = AsyncCurrentValueSubject<Int, Never>(0)
    report(1, to: subject)
    #expect(subject.value == 1)
  }

  @Test func asyncSubjectDelivery() {
    let subject = AsyncPassthroughSubject<Int, Never>(bufferingPolicy: .bufferingLatest(1))
    let consumer = subject.makeAsyncIterator()
    subject.send(1)
    print(subject.send(2).droppedCount)  // 1
    print(consumer.droppedCount)  // 1
    #expect(print.line == "1, 1")
  }

  @Test func asyncPassthroughSubject() async {
    let taps = AsyncPassthroughSubject<Int, Never>()
    var consumer = taps.makeAsyncIterator()
    taps.send(1)
    taps.finish()
    while let tap = await consumer.next() {
      print(tap)  // 1
    }
    #expect(print.line == "1")
  }

  @Test func asyncSubjectBufferingPolicy() {
    let positions = AsyncPassthroughSubject<Int, Never>(bufferingPolicy: .bufferingLatest(1))
    positions.send(1)
  }

  @Test func asyncCurrentValueSubject() async {
    let level = AsyncCurrentValueSubject<Int, Never>(1)
    var consumer = level.makeAsyncIterator()
    level.value = 2
    print(await consumer.next() ?? 0, await consumer.next() ?? 0)  // 1 2
    #expect(print.line == "1 2")
  }

  @Test func asyncReplaySubject() async {
    let log = AsyncReplaySubject<String, Never>(bufferSize: 2)
    for line in ["a", "b", "c"] { log.send(line) }
    log.finish()
    for await line in log {
      print(line)  // b, c
    }
    #expect(print.line == "b, c")
  }

  @Test func asyncShareSequence() async {
    let shared = [1, 2, 3].async.share()
    var numbers = shared.makeAsyncIterator()
    var squares = shared.map { $0 * $0 }.makeAsyncIterator()
    while let number = await numbers.next(), let square = await squares.next() {
      print(number, square)  // 1 1, 2 4, 3 9
    }
    #expect(print.line == "1 1, 2 4, 3 9")
  }

  @Test func asyncMulticastSequence() async {
    let subject = AsyncReplaySubject<Int, Never>(bufferSize: 1)
    let numbers = [1, 2, 3].async.multicast(subject)
    var consumer = numbers.makeAsyncIterator()
    let connection = numbers.connect()
    while let number = await consumer.next() {
      print(number)  // 1, 2, 3
    }
    connection.cancel()
    #expect(print.line == "1, 2, 3")
  }

  @Test func asyncMulticastConnection() {
    let subject = AsyncPassthroughSubject<Int, Never>()
    let connection = [1, 2].async.multicast(subject).connect()
    connection.cancel()
  }

  @Test func asyncAutoconnectSequence() async {
    let subject = AsyncPassthroughSubject<Int, Never>()
    for await number in [1, 2, 3].async.multicast(subject).autoconnect() {
      print(number)  // 1, 2, 3
    }
    #expect(print.line == "1, 2, 3")
  }

  @Test func asyncBoundedChannel() async throws {
    let (channel, source) = AsyncBoundedChannel<Int, Never>.makeChannel(lowWatermark: 2, highWatermark: 8)
    let producer = Task {
      for number in 1...100 { try await source.send(number) }
      source.finish()
    }
    for await number in channel {
      print(number)
    }
    try await producer.value
    #expect(print.line == (1...100).map(String.init).joined(separator: ", "))
  }
}
