/// What is to be done when: the state of a timeline, without its threads.
///
/// Work that is due at the same time comes in the order in which it was put down; a repetition is put down anew each
/// time that it comes. What waits for a time to be over comes after all else of that time.
struct Agenda {
  struct Work {
    let due: VirtualTime
    let kind: PendingWork.Kind
    var isRepeated = false
    let action: () -> Void
  }

  private(set) var now = VirtualTime.zero
  private(set) var sleepers = 0
  private var works: [UInt64: Work] = [:]
  private var heap = AgendaHeap()
  private var lastRank: UInt64 = 0
  private var repetitions = 0

  /// Puts work down, for now if its time has passed.
  ///
  /// - Returns: What identifies the work until it has come; a repetition until it is removed.
  mutating func add(due: VirtualTime, _ kind: PendingWork.Kind, action: @escaping () -> Void) -> UInt64 {
    let id = lastRank + 1
    if case .sleep = kind { sleepers += 1 }
    insert(Work(due: max(now, due), kind: kind, action: action), id: id)
    return id
  }

  /// Crosses work out.
  ///
  /// - Returns: The work, for the caller to release where nothing is locked; nil if it has come or been removed.
  mutating func remove(_ id: UInt64) -> Work? {
    guard let work = works.removeValue(forKey: id) else { return nil }
    if work.isRepeated { repetitions -= 1 }
    if case .sleep = work.kind { sleepers -= 1 }
    return work
  }

  /// Takes the next work that is due by then, and moves time on to when it is due.
  mutating func takeNext(until end: VirtualTime) -> Work? {
    while let next = heap.first, next.due <= end {
      heap.removeFirst()
      guard let work = works[next.id] else { continue }
      now = max(now, work.due)
      if case .repetition(let interval, _) = work.kind {
        if !work.isRepeated { repetitions += 1 }
        let due = work.due.advanced(by: interval)
        insert(Work(due: due, kind: work.kind, isRepeated: true, action: work.action), id: next.id)
      } else {
        _ = remove(next.id)
      }
      return work
    }
    return nil
  }

  /// Moves time on to then, if it has not come so far.
  mutating func move(to time: VirtualTime) { now = max(now, time) }

  /// Whether anything is left that has not come yet, be it once or for the first time.
  var holdsNewWork: Bool { works.count > repetitions }

  var isEmpty: Bool { works.isEmpty }

  /// What is left, in the order in which it would come.
  var pending: [PendingWork] {
    heap.inOrder.compactMap { entry in
      works[entry.id].map { PendingWork(time: $0.due, kind: $0.kind) }
    }
  }

  private mutating func insert(_ work: Work, id: UInt64) {
    lastRank += 1
    works[id] = work
    let isLast = if case .advance = work.kind { true } else { false }
    heap.insert(AgendaHeap.Entry(due: work.due, isLast: isLast, rank: lastRank, id: id))
  }
}

/// The identities of work in the order in which it is due, the first on top.
struct AgendaHeap {
  struct Entry {
    let due: VirtualTime
    let isLast: Bool
    let rank: UInt64
    let id: UInt64

    func precedes(_ other: Entry) -> Bool {
      if due != other.due { return due < other.due }
      return isLast == other.isLast ? rank < other.rank : other.isLast
    }
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }

  var inOrder: [Entry] { entries.sorted { $0.precedes($1) } }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var index = entries.count - 1
    while index > 0, entries[index].precedes(entries[(index - 1) / 2]) {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
        if entries[child].precedes(entries[least]) { least = child }
      }
      if least == index { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
