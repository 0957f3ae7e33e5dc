import Testing

@testable import InterflowTracing

@Suite struct EventRecordTests {
  @Test func anEventTakesAsMuchAsThePageSays() {
    #expect(MemoryLayout<EventRecord>.stride == 56)
  }

  @Test func aMillionEventsAreKeptInLessThan64Megabytes() {
    let store = EventStore(capacity: 1_000_000)
    for number in 0..<1_100_000 as Range<UInt64> {
      store.append(
        EventRecord(name: 0, thread: UInt16(number % 16), kind: .value, subscription: 1, time: number))
    }
    let (events, dropped) = store.snapshot()
    #expect(events.count + dropped == 1_100_000)
    #expect(events.count <= 1_000_000 && events.count > 980_000)
    #expect(store.byteCount < 64_000_000)
    #expect(store.byteCount >= events.count * MemoryLayout<EventRecord>.stride)
  }
}
