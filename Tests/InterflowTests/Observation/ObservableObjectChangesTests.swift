import Interflow
import InterflowTestSupport
import Testing

@Suite @MainActor struct ObservableObjectChangesTests {
  @MainActor
  private final class Settings: ObservableObject {
    @Published var volume = 5
    @Published var name = "Ann"
  }

  @Test func oneElementArrivesForEachChangeAfterIt() async {
    let settings = Settings()
    let seen = Signal()
    var log: [String] = []
    let changes = settings.changes()
    let loop = Task {
      for await _ in changes {
        log.append("\(settings.volume) \(settings.name)")
        seen.fire()
      }
    }
    settings.volume = 6
    await seen.wait(1)
    settings.name = "Bob"
    await seen.wait(2)
    settings.volume = 7
    settings.volume = 8
    await seen.wait(4)
    #expect(log == ["6 Ann", "6 Bob", "8 Bob", "8 Bob"])
    changes.cancel()
    await loop.value
  }

  @Test func changesBeforeTheLoopAreKept() async {
    let settings = Settings()
    let changes = settings.changes()
    for volume in 0..<1_000 { settings.volume = volume }
    var iterator = changes.makeAsyncIterator()
    for _ in 0..<1_000 { #expect(await iterator.next() != nil) }
    changes.cancel()
    #expect(await iterator.next() == nil)
  }

  @Test func newestPolicyMergesThem() async {
    let settings = Settings()
    let changes = settings.changes(bufferingPolicy: .bufferingNewest(1))
    for volume in 0..<10 { settings.volume = volume }
    #expect(changes.droppedCount == 9)
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    changes.cancel()
    #expect(await iterator.next() == nil)
  }

  @Test func elementsHaveTheKindOfTheObjectsOwnPublisher() async {
    final class Custom: ObservableObject {
      let objectWillChange = PassthroughSubject<String, Never>()
    }

    let custom = Custom()
    let changes = custom.changes()
    custom.objectWillChange.send("name")
    custom.objectWillChange.send(completion: .finished)
    #expect(await collect(changes).values == ["name"])
  }

  @Test func sequenceDoesNotKeepTheObjectAlive() {
    var settings: Settings? = Settings()
    weak let gone = settings
    let changes = settings?.changes()
    settings = nil
    #expect(gone == nil)
    changes?.cancel()
  }
}
