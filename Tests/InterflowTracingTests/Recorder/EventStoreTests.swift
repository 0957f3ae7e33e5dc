@testable import InterflowTracing
import Testing

@Suite struct EventStoreTests {
  @Test(arguments: [6, 16] as [UInt64])
  func theNewestEventsOfThreadsInStepAreShown(threads: UInt64) {
    let store = EventStore(capacity: 1_000_000)
    for time in 0..<16_384 as Range<UInt64> {
      store.append(
        EventRecord(
          value: .none, name: 0, thread: UInt16(time % threads), kind: .value, subscription: 1, number: 0, time: time,
          cause: 0))
    }
    let shown = store.snapshot(limit: 5_000)
    #expect(shown.events.map(\.time) == Array(11_384..<16_384))
    #expect(shown.dropped == 11_384)
  }
}
