import Interflow
import InterflowTestSupport
import Testing

/// `sink(isolation:)` on real actors, with senders on several threads.
@Suite struct IsolatedSinkConcurrencyTests {
  /// Keeps what it gets; the checker would notice anything that happened outside.
  private actor Keeper {
    private(set) var values: [Numbered] = []
    private var cancellable: AnyCancellable?
    private var witness: AnyCancellable?

    func follow(_ subject: PassthroughSubject<Numbered, Never>, end: Signal) {
      cancellable = subject.sink(isolation: #isolation) { _ in
        self.preconditionIsolated()
        end.fire()
      } receiveValue: {
        self.preconditionIsolated()
        self.values.append($0)
      }
    }

    /// Returns when something sent to the actor has come by a subscription of its own.
    func waitForTheNext() async {
      let (subject, end) = (PassthroughSubject<Void, Never>(), Signal())
      witness = subject.sink(isolation: #isolation) { end.fire() }
      subject.send()
      await end.wait()
    }

    /// Cancels, and says how many values there were then.
    func cancel() -> Int {
      cancellable?.cancel()
      return values.count
    }
  }

  @Test func nothingIsLostOfManySendersAndEachOnesOrderIsKept() async {
    for _ in 0..<20 {
      let keeper = Keeper()
      let subject = PassthroughSubject<Numbered, Never>()
      let end = Signal()
      await keeper.follow(subject, end: end)
      await withTaskGroup(of: Void.self) { group in
        for sender in 0..<4 {
          group.addTask { for number in 0..<500 { subject.send(Numbered(sender: sender, number: number)) } }
        }
      }
      subject.send(completion: .finished)
      await end.wait()
      let values = await keeper.values
      #expect(values.count == 2_000)
      for sender in 0..<4 {
        #expect(values.filter { $0.sender == sender }.map(\.number) == Array(0..<500))
      }
    }
  }

  @Test func nothingArrivesAfterACancelOnTheActor() async {
    for _ in 0..<300 {
      let keeper = Keeper()
      let subject = PassthroughSubject<Numbered, Never>()
      await keeper.follow(subject, end: Signal())
      let started = Signal()
      let sender = Task {
        for number in 0..<200 {
          subject.send(Numbered(sender: 0, number: number))
          if number == 20 { started.fire() }
        }
      }
      await started.wait()
      let count = await keeper.cancel()
      await sender.value
      await keeper.waitForTheNext()
      let values = await keeper.values
      #expect(values.count == count)
      #expect(values.map(\.number) == Array(0..<count))
    }
  }

  @Test func cancelFromElsewhereRacesWithSendersAndReleasesEverything() async {
    for _ in 0..<300 {
      let subject = PassthroughSubject<Tracked, Never>()
      let counter = LifetimeCounter()
      let cancellable = await subscribeOnMain(subject, counter.make())
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for number in 0..<50 { subject.send(Tracked(number, counter)) } }
        group.addTask { cancellable.cancel() }
      }
      await until { counter.count == 0 }
    }
  }

  @MainActor
  private func subscribeOnMain(
    _ subject: PassthroughSubject<Tracked, Never>, _ token: LifetimeCounter.Token
  ) -> AnyCancellable {
    var next = 0
    return subject.sink(isolation: #isolation) {
      MainActor.preconditionIsolated()
      token.touch()
      #expect($0.number == next)
      next += 1
    }
  }

  @Test @MainActor func publishedPropertyHasChangedWhenItsValueArrives() async {
    final class Model {
      @Published var name = "Ann"
    }

    let model = Model()
    let end = Signal()
    var seen: [String] = []
    let cancellable = model.$name.sink(isolation: #isolation) {
      seen.append("\($0) \(model.name)")
      if $0 == "Cy" { end.fire() }
    }
    await until { seen.count == 1 }
    model.name = "Bob"
    #expect(seen.count == 1)
    await until { seen.count == 2 }
    model.name = "Cy"
    await end.wait()
    #expect(seen == ["Ann Ann", "Bob Bob", "Cy Cy"])
    cancellable.cancel()
  }

  @Test @MainActor func ordinarySinkIsStillChosenWithoutAnIsolation() {
    var seen: [Int] = []
    let first = [1, 2].publisher.sink { seen.append($0) }
    let second = [3].publisher.sink { _ in
      seen.append(4)
    } receiveValue: {
      seen.append($0)
    }
    #expect(seen == [1, 2, 3, 4])
    withExtendedLifetime((first, second)) {}
  }
}
