import InterflowPrimitives

/// The events of one recording, at most as many as were asked for: the oldest are dropped for new ones.
///
/// Threads append to different parts, so that they hardly wait for each other. A part that is full goes to the list that
/// all share, whose oldest chunk is dropped once there are enough.
final class EventStore: Sendable {
  private static let partCount = 16

  let capacity: Int
  private let isOrdered: Bool
  private let parts: [Part]
  private let chunks: Chunks

  /// - Parameter isOrdered: Whether events that have the same time keep the order in which they were appended, also those
  ///   of different threads. Then there is one part.
  init(capacity: Int, isOrdered: Bool = false) {
    self.capacity = capacity
    self.isOrdered = isOrdered
    let partCount = isOrdered ? 1 : Self.partCount
    // A part's own chunk is kept however old it is, so together they must be few.
    let chunkCapacity = max(1, min(512, capacity / (4 * partCount)))
    chunks = Chunks(capacity: chunkCapacity, limit: max(1, capacity / chunkCapacity))
    parts = (0..<partCount).map { _ in Part() }
  }

  func append(_ event: EventRecord) {
    parts[isOrdered ? 0 : Int(event.thread) % Self.partCount].append(event, chunks)
  }

  /// What is kept, in order, and how much was dropped.
  ///
  /// - Parameter limit: The most events. Older ones count as dropped.
  func snapshot(limit: Int = .max) -> (events: [EventRecord], dropped: Int) {
    for part in parts { part.lock.lock() }
    // Full chunks stay as they are as long as they are referred to; the others are copied.
    let open = parts.flatMap(\.content)
    let (full, droppedCount, droppedUntil) = chunks.kept(limit: limit, partCount: parts.count)
    for part in parts { part.lock.unlock() }

    var events: [EventRecord] = []
    events.reserveCapacity(open.count + full.reduce(0) { $0 + $1.count })
    for chunk in full { events.append(contentsOf: chunk.content) }
    events.append(contentsOf: open)
    let all = events.count
    // What a part has kept of the time that was dropped elsewhere would be a record with holes.
    if droppedCount > 0 { events.removeAll { $0.time < droppedUntil } }
    // Events of one part that have the same time keep their order.
    let order = events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }.suffix(min(limit, capacity))
    return (order.map { events[$0] }, droppedCount + all - order.count)
  }

  /// How many bytes the chunks have: for tests.
  var byteCount: Int {
    for part in parts { part.lock.lock() }
    defer { for part in parts { part.lock.unlock() } }
    return chunks.byteCount + parts.reduce(0) { $0 + $1.byteCount }
  }

  /// Releases all events, and keeps none from now on.
  func discard() {
    // All at once, as for a snapshot, which would have holes otherwise.
    for part in parts { part.lock.lock() }
    let discarded = (parts.map { $0.discard() }, chunks.discard())
    for part in parts { part.lock.unlock() }
    withExtendedLifetime(discarded) {}
  }

  /// The events of a few threads.
  private final class Part: @unchecked Sendable {  // `lock` guards the variables.
    let lock = Lock()
    private var chunk: EventChunk?
    private var isDiscarded = false

    func append(_ event: EventRecord, _ chunks: Chunks) {
      lock.lock()
      defer { lock.unlock() }
      if isDiscarded { return }
      let chunk = self.chunk ?? chunks.next(replacing: nil)
      chunk.append(event)
      self.chunk = chunk.isFull ? chunks.next(replacing: chunk) : chunk
    }

    /// With the lock.
    func discard() -> EventChunk? {
      lock.assertHeld()
      isDiscarded = true
      return chunk.take()
    }

    var byteCount: Int {
      lock.assertHeld()
      return chunk?.byteCount ?? 0
    }

    var content: [EventRecord] {
      lock.assertHeld()
      return chunk.map { Array($0.content) } ?? []
    }
  }

  /// The chunks that are full, in the order in which they became so.
  private final class Chunks: @unchecked Sendable {  // `lock` guards all variables. It is taken within that of a part.
    private let lock = Lock()
    private let capacity: Int
    private let limit: Int
    private var full = RingBuffer<EventChunk>()
    private var droppedCount = 0
    private var droppedUntil: UInt64 = 0

    init(capacity: Int, limit: Int) {
      self.capacity = capacity
      self.limit = limit
    }

    /// Keeps a chunk that is full, and returns one that is empty.
    func next(replacing chunk: EventChunk?) -> EventChunk {
      lock.lock()
      defer { lock.unlock() }
      if let chunk { full.append(chunk) }
      if full.count > limit, let oldest = full.popFirst() {
        droppedCount += oldest.count
        droppedUntil = max(droppedUntil, oldest.latest)
      }
      return EventChunk(capacity: capacity)
    }

    var byteCount: Int {
      lock.lock()
      defer { lock.unlock() }
      return full.elements.reduce(0) { $0 + $1.byteCount }
    }

    func discard() -> RingBuffer<EventChunk> {
      lock.lock()
      defer { lock.unlock() }
      let chunks = full
      full = RingBuffer()
      return chunks
    }

    /// The newest chunks, with `limit` events at least, if there are so many.
    func kept(limit: Int, partCount: Int) -> (chunks: [EventChunk], droppedCount: Int, droppedUntil: UInt64) {
      lock.lock()
      let (all, droppedCount, droppedUntil) = (full.elements, droppedCount, droppedUntil)
      lock.unlock()
      // Each part may have begun one of the chunks that remain before the newest event that is left out. What that chunk has
      // from before is left out, too.
      let excess = limit == .max ? 0 : max(0, all.count - limit / capacity - 1 - partCount)
      return (
        Array(all[excess...]), droppedCount + all[..<excess].reduce(0) { $0 + $1.count },
        all[..<excess].reduce(droppedUntil) { max($0, $1.latest) }
      )
    }
  }
}
