/// What is to happen at which times, in the order of the times, and of the numbers where the times are equal. This is a
/// state machine, without threads.
struct DeadlineState<Action> {
  private struct Deadline: Comparable {
    let time: UInt64
    let number: UInt64

    static func < (one: Deadline, other: Deadline) -> Bool {
      (one.time, one.number) < (other.time, other.number)
    }
  }

  /// A heap: no deadline is before that at half its place. Those that were removed remain until they are found.
  private var heap: [Deadline] = []
  private var actions: [UInt64: Action] = [:]
  private var last: UInt64 = 0

  /// How many have been added, and neither removed nor taken.
  var count: Int { actions.count }

  /// How many places are in use: for tests.
  var placeCount: Int { heap.count }

  /// Adds an action.
  ///
  /// - Returns: Its number, and whether it is the next one.
  mutating func add(_ action: Action, at time: UInt64) -> (number: UInt64, isNext: Bool) {
    last += 1
    actions[last] = action
    var place = heap.count
    heap.append(Deadline(time: time, number: last))
    while place > 0, heap[place] < heap[(place - 1) / 2] {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
    return (last, place == 0)
  }

  /// - Returns: The action; `nil` where it has been taken.
  mutating func remove(_ number: UInt64) -> Action? {
    let action = actions.removeValue(forKey: number)
    // Most are removed long before their time.
    if heap.count > 64, heap.count > 2 * actions.count {
      // An array in order is a heap, too.
      heap = heap.filter { actions[$0.number] != nil }.sorted()
    }
    return action
  }

  /// The time of the next action.
  mutating func next() -> UInt64? {
    while let first = heap.first, actions[first.number] == nil { removeFirst() }
    return heap.first?.time
  }

  /// The next action, if it is time for it.
  mutating func takeDue(at now: UInt64) -> Action? {
    guard let time = next(), time <= now else { return nil }
    defer { removeFirst() }
    return actions.removeValue(forKey: heap[0].number)
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      if least == place { return }
      heap.swapAt(place, least)
      place = least
    }
  }
}
