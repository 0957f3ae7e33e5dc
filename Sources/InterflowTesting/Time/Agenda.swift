/// The scheduled work of a timeline in the order in which it is due, without threads or locks.
///
/// Work that is due at the same time is run in the order in which it was added, unless the agenda is made with another
/// `rank`. A repetition is added again each time it is taken. Work of the kind `advance` comes after all other work of
/// the same time. Work that is due at the last time of all, to which all later ones are clamped, is never taken.
package struct Agenda {
  package struct Work {
    package let due: VirtualTime
    package let kind: PendingWork.Kind
    fileprivate(set) var isRepeated = false
    fileprivate(set) var chain = Chain()
    fileprivate var isIdle: Bool { isRepeated || due == .distantFuture }
    package let action: () -> Void
  }

  /// How many items led to one, each added while the one before ran. Work that goes on without end makes an endless chain;
  /// the number of items that one item adds does not matter.
  package struct Chain {
    /// The length since work that was added before its time.
    private(set) var lengthAtOneTime = 0
    /// The length since a task last ran.
    private(set) var lengthWithoutTasks = 0
    private(set) var length = 0
    private var tasks = 0

    fileprivate func next(isDue: Bool) -> Chain {
      var next = self
      next.lengthAtOneTime = isDue ? lengthAtOneTime + 1 : 0
      next.lengthWithoutTasks += 1
      next.length += 1
      return next
    }

    fileprivate func after(tasks: Int) -> Chain {
      var chain = self
      if tasks != self.tasks { chain.lengthWithoutTasks = 0 }
      chain.tasks = tasks
      return chain
    }
  }

  /// The latest time at which work is taken.
  static var lastTime: VirtualTime { .distantFuture.advanced(by: .nanoseconds(-1)) }

  package private(set) var now = VirtualTime.zero
  private(set) var sleepers = 0
  private var works: [UInt64: Work] = [:]
  private var heap = AgendaHeap()
  private var additions: UInt64 = 0
  /// The chain of the work that was taken last: work that is added continues it.
  var chain = Chain()
  /// The number of tasks' parts that were taken.
  private var tasks = 0
  /// The number of repetitions that have begun, and of other work that is never due.
  private var idle = 0
  private let rank: (UInt64) -> UInt64

  /// - Parameter rank: Makes the rank among work that is due at the same time from the number of the addition. The
  ///   lowest comes first.
  package init(rank: @escaping (UInt64) -> UInt64 = { $0 }) {
    self.rank = rank
  }

  /// Adds work that is due at a time, or now if that time has passed.
  ///
  /// - Returns: The identifier of the work until it is taken; of a repetition, until it is removed.
  package mutating func add(due: VirtualTime, _ kind: PendingWork.Kind, action: @escaping () -> Void) -> UInt64 {
    let id = additions + 1
    insert(Work(due: max(now, due), kind: kind, chain: chain.next(isDue: due <= now), action: action), id: id)
    return id
  }

  /// Removes work.
  ///
  /// - Returns: The work, for the caller to release without a lock; `nil` if it has been taken or removed.
  package mutating func remove(_ id: UInt64) -> Work? {
    guard let work = works.removeValue(forKey: id) else { return nil }
    if work.isIdle { idle -= 1 }
    if case .sleep = work.kind { sleepers -= 1 }
    return work
  }

  /// Takes the next work that is due by a time, and advances `now` to its time.
  package mutating func takeNext(until end: VirtualTime) -> Work? {
    while let next = heap.first, next.due <= end, next.due < .distantFuture {
      heap.removeFirst()
      guard let work = remove(next.id) else { continue }
      now = max(now, work.due)
      if case .task = work.kind { tasks += 1 }
      chain = work.chain.after(tasks: tasks)
      if case .repetition(let interval, _) = work.kind {
        let due = work.due.advanced(by: interval)
        let repeated = Work(
          due: due, kind: work.kind, isRepeated: true, chain: chain.next(isDue: due <= now), action: work.action)
        insert(repeated, id: next.id)
      }
      return work
    }
    return nil
  }

  /// Whether ``takeNext(until:)`` would take work.
  mutating func hasWork(dueBy end: VirtualTime) -> Bool {
    while let next = heap.first, next.due <= end, next.due < .distantFuture {
      if works[next.id] != nil { return true }
      heap.removeFirst()  // It has been removed.
    }
    return false
  }

  /// Advances `now` to a time, unless it is later already; at most to the last one at which work is taken.
  package mutating func move(to time: VirtualTime) {
    now = max(now, min(time, Self.lastTime))
  }

  /// Whether there is work that will be due, other than repetitions that have begun.
  package var holdsNewWork: Bool { works.count > idle }

  /// The number of items; a repetition counts once.
  package var count: Int { works.count }

  /// The scheduled work, in the order in which it will be taken.
  var pending: [PendingWork] {
    heap.inOrder.compactMap { entry in
      works[entry.id].map { PendingWork(time: $0.due, kind: $0.kind) }
    }
  }

  private mutating func insert(_ work: Work, id: UInt64) {
    additions += 1
    works[id] = work
    if work.isIdle { idle += 1 }
    if case .sleep = work.kind { sleepers += 1 }
    let isLast = if case .advance = work.kind { true } else { false }
    heap.insert(AgendaHeap.Entry(due: work.due, isLast: isLast, rank: rank(additions), id: id))
  }
}

/// A heap of the identifiers of work, in the order in which it is due.
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
