import Interflow

@main
enum Main {
  static func main() async throws {
    await publisherToAsyncSequence()
    await asyncSequenceToPublisher()
    await channel()
    await tasks()
  }

  static func publisherToAsyncSequence() async {
    let numbers = PassthroughSubject<Int, Never>()
    let doubled = numbers.map { $0 * 2 }.asyncStream()  // subscribed from here on

    numbers.send(1)
    numbers.send(2)
    numbers.send(completion: .finished)

    for await number in doubled {
      print(number)  // 2, 4
    }
  }

  static func asyncSequenceToPublisher() async {
    let (ended, end) = AsyncStream.makeStream(of: Never.self)
    let done = { @Sendable in end.finish() }

    let words = AsyncStream { continuation in
      for word in ["both", "ways"] { continuation.yield(word) }
      continuation.finish()
    }

    let cancellable = words.publisher
      .map { $0.uppercased() }
      .sink(receiveCompletion: { _ in done() }, receiveValue: { print($0) })  // BOTH, WAYS

    for await _ in ended {}
    cancellable.cancel()
  }

  static func channel() async {
    let channel = AsyncChannel<Int, Never>()

    Task {
      for number in 1...3 {
        try await channel.send(number)  // returns when every subscriber has taken it
      }
      channel.send(completion: .finished)
    }

    for await number in channel.asyncValues {
      print(number)  // 1, 2, 3
    }
  }

  static func tasks() async {
    let squares = (1...4).publisher
      .task(maxPublishers: .max(2)) { number in await square(number) }  // two at a time
      .collect()

    for await all in squares.asyncValues {
      print(all.sorted())  // [1, 4, 9, 16]
    }
  }

  static func square(_ number: Int) async -> Int {
    number * number
  }
}
