import Interflow
import InterflowTestSupport
import Testing

/// The examples of *Choosing between values, asyncValues, asyncStream and AsyncChannel*, as written there; what they
/// print is compared with what they say.
@Suite struct ChoosingABridgeExamplesTests {
  private let print = ExampleOutput()

  @Test func oneValueAtATime() async {
    var produced = 0
    let numbers = (1...1_000_000).publisher
      .handleEvents(receiveOutput: { _ in produced += 1 })

    for await number in numbers.asyncValues.prefix(10) { print(number) }
    print(produced)
    #expect(print.lines.suffix(2) == ["10", "10"])
    #expect(print.lines.count == 11)
  }

  @Test func severalValuesAtATime() async {
    var produced = 0
    let numbers = (1...1_000_000).publisher
      .handleEvents(receiveOutput: { _ in produced += 1 })

    for await number in numbers.asyncValues(prefetch: 4).prefix(10) { print(number) }
    print(produced)
    #expect(print.lines.suffix(2) == ["10", "12"])
    #expect(print.lines.count == 11)
  }

  @Test func subjectWithoutDemand() async {
    let subject = PassthroughSubject<Int, Never>()
    var iterator = subject.asyncValues.makeAsyncIterator()
    for number in 1...3 { subject.send(number) }
    subject.send(completion: .finished)
    print(await iterator.next() as Any)
    #expect(print.line == "nil")
  }

  /// What the page says of subjects that hold a value.
  @Test func subjectThatHoldsAValue() async {
    let subject = CurrentValueSubject<Int, Never>(0)
    var iterator = subject.asyncValues.makeAsyncIterator()
    for number in 1...3 { subject.send(number) }
    #expect(await iterator.next() == 3)
    let model = Model()
    var numbers = model.$number.asyncValues.makeAsyncIterator()
    for number in 1...3 { model.number = number }
    #expect(await numbers.next() == 3)
  }

  private final class Model {
    @Published var number = 0
  }

  @Test func subjectWithAStream() async {
    let subject = PassthroughSubject<Int, Never>()
    let stream = subject.asyncStream()
    for number in 1...3 { subject.send(number) }
    subject.send(completion: .finished)
    for await number in stream { print(number) }
    #expect(print.line == "1, 2, 3")
  }

  @Test func policies() async {
    let subject = PassthroughSubject<Int, Never>()
    let newest = subject.asyncStream(bufferingPolicy: .bufferingNewest(2))
    let oldest = subject.asyncStream(bufferingPolicy: .bufferingOldest(2))
    for number in 1...5 { subject.send(number) }
    subject.send(completion: .finished)

    for await number in newest { print("newest: \(number)") }
    for await number in oldest { print("oldest: \(number)") }
    print(newest.droppedCount, oldest.droppedCount)
    #expect(print.line == "newest: 4, newest: 5, oldest: 1, oldest: 2, 3 3")
  }

  /// What the page says of streams of publishers that wait for demand.
  @Test func streamRequestsEverything() async {
    var produced = 0
    let numbers = (1...1_000).publisher.handleEvents(receiveOutput: { _ in produced += 1 })
    let stream = numbers.asyncStream()
    #expect(produced == 1_000)
    withExtendedLifetime(stream) {}
  }

  @Test func valuesBeginAgain() async {
    let values = (1...4).publisher.asyncValues
    for await number in values.prefix(2) { print(number) }
    for await number in values { print(number) }
    #expect(print.line == "1, 2, 1, 2, 3, 4")
  }

  @Test func streamsContinue() async {
    let stream = (1...4).publisher.asyncStream()
    for await number in stream {
      print(number)
      if number == 2 { break }
    }
    for await number in stream { print(number) }
    #expect(print.line == "1, 2, 3, 4")
  }

  @Test func channel() async throws {
    let channel = AsyncChannel<Int, Never>()
    let producer = Task {
      for number in 1...3 { try await channel.send(number) }
      channel.send(completion: .finished)
    }
    for await number in channel.asyncValues { print(number) }
    #expect(print.line == "1, 2, 3")
    try await producer.value
  }

  @Test func firstValue() async {
    let first = await (1...4).publisher.firstValue()
    let none = await Empty<Int, Never>().firstValue()
    #expect(first == 1)
    #expect(none == nil)
    #expect(await CurrentValueSubject<Int, Never>(5).firstValue() == 5)
  }
}
