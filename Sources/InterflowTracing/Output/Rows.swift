/// Distributes what takes time over as few rows as keep it from overlapping, each in the first row that is free.
///
/// - Parameter elements: In the order in which they begin.
/// - Complexity: O(*n* log *n*).
func packed<Element>(_ elements: [Element], extent: (Element) -> (begin: UInt64, end: UInt64)) -> [[Element]] {
  var rows: [[Element]] = []
  var rowNumbers: [Int] = []
  var free = SmallestNumbers()
  let extents = elements.map(extent)
  // Those that have not begun yet come last among those that end at the same time.
  let ending = elements.indices.sorted { (extents[$0].end, $0) < (extents[$1].end, $1) }
  var ended = 0
  for (index, element) in elements.enumerated() {
    while ending[ended] < index, extents[ending[ended]].end <= extents[index].begin {
      free.insert(rowNumbers[ending[ended]])
      ended += 1
    }
    let row = free.popFirst() ?? rows.count
    if row == rows.count { rows.append([]) }
    rows[row].append(element)
    rowNumbers.append(row)
  }
  return rows
}

/// Numbers, of which the smallest is taken first: a heap.
private struct SmallestNumbers {
  private var numbers: [Int] = []

  mutating func insert(_ number: Int) {
    var index = numbers.count
    numbers.append(number)
    while index > 0, numbers[index] < numbers[(index - 1) / 2] {
      numbers.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func popFirst() -> Int? {
    guard let first = numbers.first, let last = numbers.popLast() else { return nil }
    if numbers.isEmpty { return first }
    numbers[0] = last
    var index = 0
    while true {
      var smallest = index
      for child in [2 * index + 1, 2 * index + 2] where child < numbers.count && numbers[child] < numbers[smallest] {
        smallest = child
      }
      if smallest == index { return first }
      numbers.swapAt(index, smallest)
      index = smallest
    }
  }
}

extension TraceRecording.Lane {
  /// The subscriptions, in rows in which they do not overlap.
  func rows(end: UInt64) -> [[TraceRecording.Subscription]] {
    packed(subscriptions.sorted { $0.extent(end: end).begin < $1.extent(end: end).begin }) { $0.extent(end: end) }
  }
}

extension TraceRecording.Subscription {
  /// From its first event to its last one, or to the end of the recording if it is live.
  func extent(end: UInt64) -> (begin: UInt64, end: UInt64) {
    let begin = records.first?.time ?? 0
    return (begin, max(begin, isLive ? end : records.last?.time ?? 0))
  }
}
