import Interflow
import InterflowTestSupport
import Testing

/// `sink(isolation:)`: threads that send, and an actor that is delivered to.
@Suite struct IsolatedSinkStressTests {
  /// Whom values are delivered to; its own state is what shows that it is on itself.
  private actor Receiver {
    private let world: World
    private let token: LifetimeCounter.Token
    private(set) var numbers: [[Int]]
    private(set) var ends = 0
    private var cancellable: AnyCancellable?
    private var hasCancelled = false

    init(_ world: World, senders: Int) {
      self.world = world
      token = world.counter.make()
      numbers = Array(repeating: [], count: senders)
    }

    func follow(_ subject: PassthroughSubject<Item, TestError>) {
      cancellable = subject.sink(isolation: self) { receiver, _ in
        receiver.ends += 1
        receiver.checkNothingIsLate()
      } receiveValue: { receiver, item in
        receiver.numbers[item.sender].append(item.number)
        receiver.checkNothingIsLate()
      }
    }

    private func checkNothingIsLate() {
      world.check(!hasCancelled, "a signal came after the cancellation on the actor")
      world.check(ends <= 1, "there are \(ends) ends")
    }

    func cancel() {
      cancellable?.cancel()
      hasCancelled = true
    }
  }

  @Test(arguments: StressKind.allCases) func isolatedSink(_ kind: StressKind) async {
    await stress("sink(isolation:)", kind) { world in
      let participant = world.participant("world")
      let senders = participant.number(1...3)
      let counts = (0..<senders).map { _ in participant.number(0...5) }
      let isCancelled = participant.once(in: 3)
      let subject = PassthroughSubject<Item, TestError>()
      let seen = Shared<(numbers: [[Int]], ends: Int)>(([], 0))
      world.spawn("receiver") { participant in
        let receiver = Receiver(world, senders: senders)
        await receiver.follow(subject)
        let sending = counts.enumerated().map { sender, count in
          world.spawn("sender \(sender)") { participant in
            for number in 0..<count {
              participant.note("sends", number)
              subject.send(world.item(number, from: sender))
              await participant.pause()
            }
          }
        }
        if isCancelled {
          await participant.pause()
          participant.note("cancels")
          await receiver.cancel()
        }
        for task in sending { await task.value }
        subject.send(completion: .finished)
        // Whatever was sent is delivered in jobs of the actor, which come to an end.
        while !isCancelled, await receiver.ends == 0 { await Task.yield() }
        seen.value = (await receiver.numbers, await receiver.ends)
      }
      world.atEnd {
        let (numbers, ends) = seen.value
        for (sender, count) in counts.enumerated() {
          let got = numbers[sender]
          world.check(got == Array(0..<got.count), "values out are no prefix of those in: \(numbers)")
          if !isCancelled { world.check(got.count == count, "\(got.count) values of \(count) came out") }
        }
        world.check(ends == 1 || isCancelled && ends == 0, "there are \(ends) ends")
      }
    }
  }
}
