/// Events that follow each other on one thread, or on a few.
///
/// A chunk that is full does not change any more.
final class EventChunk: @unchecked Sendable {  // The lock of the part that fills it; then it is constant.
  let capacity: Int
  private let events: UnsafeMutablePointer<EventRecord>
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    events = .allocate(capacity: capacity)
  }

  deinit {
    // Events refer to nothing, so there is nothing to deinitialize.
    events.deallocate()
  }

  var byteCount: Int { capacity * MemoryLayout<EventRecord>.stride }

  var isFull: Bool { count == capacity }

  var latest: UInt64 { count > 0 ? events[count - 1].time : 0 }

  func append(_ event: EventRecord) {
    (events + count).initialize(to: event)
    count += 1
  }

  var content: UnsafeBufferPointer<EventRecord> { UnsafeBufferPointer(start: events, count: count) }
}
