import Interflow
import InterflowTestSupport
import InterflowTesting
import Observation
import Testing

@Suite @MainActor struct ObservationOfModelTests {
  @MainActor @Observable
  final class Player {
    var position = 0
    var title = ""
  }

  private let recorder = RecordingSubscriber<String, Never>()

  private func publisher(_ player: Player) -> ObservationPublisher<String, Never> {
    ObservationPublisher(of: player) {
      MainActor.preconditionIsolated()
      return "\($0.position) \($0.title)"
    }
  }

  @Test func everyTransactionGivesOneValueAndTheEndOfTheModelTheCompletion() async {
    var player: Player? = Player()
    weak let gone = player
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    publisher(player!).subscribe(recorder)
    for number in 1...100 {
      await until { recorder.values.count == number }
      player?.position = number
      player?.title = "\(number)"
    }
    await until { recorder.values.count == 101 }
    #expect(recorder.values == ["0 "] + (1...100).map { "\($0) \($0)" })
    player = nil
    #expect(gone == nil)
    await end.wait()
    #expect(recorder.values.count == 101)
    #expect(recorder.completions == 1)
  }

  @Test func lastChangeBeforeTheEndIsReadOrTheModelHasGone() async {
    for _ in 0..<200 {
      let recorder = RecordingSubscriber<String, Never>()
      let end = Signal()
      recorder.onCompletion = { _ in end.fire() }
      var player: Player? = Player()
      publisher(player!).subscribe(recorder)
      await until { recorder.values.count == 1 }
      player?.position = 1
      player = nil
      await end.wait()
      #expect(recorder.log == ["0 ", "finished"])
    }
  }

  @Test func modelThatGoesWhileItIsReadEndsThePublisher() async {
    for _ in 0..<stressRuns {
      let recorder = RecordingSubscriber<String, Never>()
      let end = Signal()
      recorder.onCompletion = { _ in end.fire() }
      let player = Shared<Player?>(Player())
      ObservationPublisher(of: player.value!) {
        player.value = nil
        return $0.title
      }.subscribe(recorder)
      await end.wait()
      #expect(recorder.log == ["", "finished"])
    }
  }

  @Test func modelThatIsGoneBeforeTheFirstDemandLeavesTheCompletion() async {
    var player: Player? = Player()
    let publisher = publisher(player!)
    player = nil
    let end = Signal()
    recorder.onCompletion = { _ in end.fire() }
    publisher.subscribe(recorder)
    await end.wait()
    #expect(recorder.log == ["finished"])
  }

  @Test func severalSubscribersAreAllTold() async {
    var player: Player? = Player()
    let publisher = publisher(player!)
    let end = Signal()
    let recorders = (0..<5).map { _ in RecordingSubscriber<String, Never>() }
    for recorder in recorders {
      recorder.onCompletion = { _ in end.fire() }
      publisher.subscribe(recorder)
    }
    await until { recorders.allSatisfy { $0.values.count == 1 } }
    player = nil
    await end.wait(5)
    for recorder in recorders { #expect(recorder.log == ["0 ", "finished"]) }
  }

  @Test func readingOfNothingObservedGivesOneValue() async {
    let player = Player()
    let other = RecordingSubscriber<String, Never>()
    ObservationPublisher(of: player) { _ in "nothing" }.subscribe(other)
    // Subscribes later, so that it gets the change after the other would have got it.
    publisher(player).subscribe(recorder)
    await until { other.values.count == 1 && recorder.values.count == 1 }
    player.position = 1
    await until { recorder.values.count == 2 }
    #expect(other.log == ["nothing"])
    other.cancel()
    recorder.cancel()
  }

  @Test func cancelReleasesTheClosure() async {
    let counter = LifetimeCounter()
    let player = Player()
    ObservationPublisher(of: player) { [token = counter.make()] in
      token.touch()
      return $0.title
    }.subscribe(recorder)
    await until { recorder.values.count == 1 }
    #expect(counter.count == 1)
    recorder.cancel()
    await until { counter.count == 0 }
    withExtendedLifetime(player) {}
  }

  @Test func insideAnActor() async {
    let deck = Deck()
    let recorder = recorder
    await deck.follow(recorder)
    await until { recorder.values.count == 1 }
    await deck.play()
    await until { recorder.values.count == 2 }
    #expect(recorder.values == ["0", "1"])
    recorder.cancel()
  }

  @Test func endOfTheModelIsReportedWhereTheTasksOfItsThreadRun() {
    let (steps, deck, recorder) = (StepExecutor(), Deck(), recorder)
    steps.run { Task(executorPreference: steps) { await deck.follow(recorder) } }
    #expect(recorder.log == ["0"])
    steps.run { Task(executorPreference: steps) { await deck.eject() } }
    #expect(recorder.log == ["0", "finished"])
  }

  actor Deck {
    @Observable
    final class Tape {
      var position = 0
    }

    private var tape: Tape? = Tape()

    func follow(_ recorder: RecordingSubscriber<String, Never>) {
      guard let tape else { return }
      ObservationPublisher(of: tape) {
        self.preconditionIsolated()
        return "\($0.position)"
      }.subscribe(recorder)
    }

    func play() { tape?.position += 1 }

    func eject() { tape = nil }
  }
}
