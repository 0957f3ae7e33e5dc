internal import CInterflowPrimitives
import InterflowPrimitives

/// One recording: its events, and what belongs to them as long as it exists.
final class Recording: @unchecked Sendable {  // `lock` guards all variables.
  /// The most names, texts and errors: a program may make them up.
  private static let mostNames = 4_096

  let number: UInt32
  private let now: @Sendable () -> UInt64
  private let start: RecordingStart
  private let store: EventStore

  private let lock = Lock()
  private var endTime: UInt64?
  private var isDiscarded = false
  private var names = InternedTexts(limit: mostNames)
  private var texts = InternedTexts(limit: mostNames)
  private var failures = InternedTexts(limit: mostNames)
  private var subscriptionCount: UInt32 = 0
  private var live = LiveStreams()
  /// The streams whose subscriptions may drop values, by these.
  private var sources: [ObjectIdentifier: TracedLane] = [:]
  private var dropObserver: AnyObject?
  /// The streams that had not ended when the recording did. They are not kept: they refer to their recorder.
  private var liveAtTheEnd: [UInt32: LiveLane] = [:]

  init(
    number: UInt32, capacity: Int, isOrdered: Bool, start: RecordingStart, now: @escaping @Sendable () -> UInt64
  ) {
    self.number = number
    self.now = now
    self.start = start
    store = EventStore(capacity: capacity, isOrdered: isOrdered)
    dropObserver = UnrequestedValues.observe { [weak self] subscription in
      guard let self else { return }
      withLock { sources[subscription] }?.dropped()
    }
  }

  var isUnderWay: Bool { withLock { endTime == nil } }

  func end() {
    let now = time()
    // They are released without the lock: they take others.
    let released = withLock { () -> (AnyObject?, LiveStreams, [ObjectIdentifier: TracedLane]) in
      if endTime == nil {
        endTime = now
        for stream in live.newest(.max, before: .max) { liveAtTheEnd[stream.number] = liveLane(stream) }
      }
      defer { (dropObserver, live, sources) = (nil, LiveStreams(), [:]) }
      return (dropObserver, live, sources)
    }
    withExtendedLifetime(released) {}
  }

  /// Numbers a stream; nil if the recording has ended.
  func register(_ lane: TracedLane) -> (subscription: UInt32, name: UInt16)? {
    withLock {
      guard endTime == nil else { return nil }
      subscriptionCount &+= 1
      let name = UInt16(names.number(of: lane.name))
      live.append(lane, number: subscriptionCount, name: name)
      if let source = lane.source { sources[source] = lane }
      return (subscriptionCount, name)
    }
  }

  /// A stream has ended. Streams that had not when the recording ended are kept.
  func forget(_ subscription: UInt32, of source: ObjectIdentifier?) {
    withLock {
      guard endTime == nil, let lane = live.remove(subscription) else { return }
      if let source, sources[source] === lane { sources[source] = nil }
    }
  }

  func record(
    _ kind: EventRecord.Kind, subscription: UInt32, name: UInt16, _ value: RecordedValue = .none, number: UInt32 = 0,
    cause: UInt64 = 0
  ) {
    store.append(
      EventRecord(
        value: value, name: name, thread: Self.thread, kind: kind,
        subscription: subscription, number: number, time: time(), cause: cause))
  }

  /// Records work that has ended.
  ///
  /// - Parameters:
  ///   - age: How long ago it began, in nanoseconds.
  ///   - duration: How long it took, in nanoseconds: less, where it paused.
  func recordWork(_ name: String, _ text: String, id: String?, age: UInt64, duration: UInt64, failure: String?) {
    guard
      let (name, number) = withLock({ () -> (UInt16, UInt32)? in
        guard endTime == nil else { return nil }
        let failure = failure.map { UInt32(failures.number(of: $0)) + 1 } ?? 0
        return (UInt16(names.number(of: name)), failure << 16 | UInt32(texts.number(of: text)))
      })
    else { return }
    store.append(
      EventRecord(
        value: id.map { .text($0) } ?? .none, name: name,
        thread: Self.thread, kind: .work,
        subscription: UInt32(clamping: age / 1_000), number: number, time: time(), cause: duration))
  }

  /// Releases what was recorded, since streams that are quiet keep the recording.
  func discard() {
    store.discard()
    let released = withLock {
      defer {
        (names, texts, failures, liveAtTheEnd) = (.init(limit: 0), .init(limit: 0), .init(limit: 0), [:])
      }
      isDiscarded = true
      return (names, texts, failures, liveAtTheEnd)
    }
    withExtendedLifetime(released) {}
  }

  /// With the lock.
  private func liveLane(_ stream: LiveStreams.Stream) -> LiveLane {
    lock.assertHeld()
    return LiveLane(name: names.texts[Int(stream.name)], hasRequested: stream.lane?.hasRequested ?? false)
  }

  /// The streams that have not ended: those of events, and the newest others.
  ///
  /// The lock is taken for a thousand of them at a time, since every stream takes it that begins or ends.
  private func liveLanes(of events: [EventRecord], limit: Int) -> [UInt32: LiveLane] {
    var lanes: [UInt32: LiveLane] = [:]
    func add(_ streams: () -> [LiveStreams.Stream]) -> UInt32? {
      let added = withLock { streams().map { (number: $0.number, lane: liveLane($0)) } }
      for (number, lane) in added { lanes[number] = lane }
      return added.last?.number
    }
    var (missing, last) = (limit, UInt32.max)
    while missing > 0, let number = add({ live.newest(min(missing, 1_000), before: last) }) {
      last = number
      missing -= 1_000
    }
    if limit == .max { return lanes }
    let shown = Array(Set(events.lazy.filter { $0.kind != .work && $0.subscription < last }.map(\.subscription)))
    for first in stride(from: 0, to: shown.count, by: 1_000) {
      _ = add { shown[first..<min(first + 1_000, shown.count)].compactMap { live.stream($0) } }
    }
    return lanes
  }

  /// The number of this thread, from 1 on.
  private static var thread: UInt16 { UInt16(truncatingIfNeeded: (interflow_thread_number() &- 1) % 65_535 + 1) }

  private func time() -> UInt64 {
    let time = now()
    return time > start.time ? time - start.time : 0
  }

  /// - Parameter limit: The most events, and the most streams that live.
  func snapshot(limit: Int = .max) -> TraceRecording {
    let (events, dropped) = store.snapshot(limit: limit)
    let live = liveLanes(of: events, limit: limit)
    let (names, texts, failures, end, ended, isDiscarded) = withLock {
      (self.names.texts, self.texts.texts, self.failures.texts, endTime, liveAtTheEnd, self.isDiscarded)
    }
    // Another recording has begun meanwhile, without anything yet.
    if isDiscarded { return TraceRecording() }
    return TraceRecording(
      startDate: start.date, records: events, names: names, texts: texts, failures: failures, droppedCount: dropped,
      duration: end ?? time(), live: end == nil ? live : ended, limit: limit)
  }

  private func withLock<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }
}

/// A stream that has not ended.
struct LiveLane {
  let name: String
  let hasRequested: Bool
}

/// Texts that are kept once, each with a number.
private struct InternedTexts {
  let limit: Int
  /// The last one stands for all that came once there were too many.
  private(set) var texts: [String] = []
  private var numbers: [String: Int] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  mutating func number(of text: String) -> Int {
    // What a program passes may be very long.
    let text = text.utf8.count > Self.longest ? Self.beginning(of: text) : text
    if let number = numbers[text] { return number }
    if texts.count + 1 < limit {
      texts.append(text)
      numbers[text] = texts.count - 1
    } else if texts.count + 1 == limit {
      texts.append("(others)")
    }
    return min(texts.count, limit) - 1
  }

  private static func beginning(of text: String) -> String {
    let beginning = text.unicodeScalars.prefix(longest)
    return beginning.endIndex < text.endIndex ? String(beginning) + "…" : text
  }

  /// In scalars of Unicode.
  private static let longest = 500
}
