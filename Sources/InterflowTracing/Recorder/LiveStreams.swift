/// The streams of a recording that have not ended, in the order in which they began.
///
/// To read some of them takes no time of the others.
struct LiveStreams {
  struct Stream {
    let number: UInt32
    /// The number of its name.
    let name: UInt16
    /// Nil once it has ended.
    fileprivate(set) var lane: TracedLane?
  }

  /// By their numbers. Those that have ended are removed at the end, and elsewhere once they are the most.
  private var streams: [Stream] = []
  private var endedCount = 0

  /// - Parameter number: More than those of all before.
  mutating func append(_ lane: TracedLane, number: UInt32, name: UInt16) {
    streams.append(Stream(number: number, name: name, lane: lane))
  }

  /// A stream has ended.
  ///
  /// - Complexity: O(log *n*), amortized.
  mutating func remove(_ number: UInt32) -> TracedLane? {
    let index = firstIndex(from: number)
    guard index < streams.count, streams[index].number == number, let lane = streams[index].lane.take() else {
      return nil
    }
    endedCount += 1
    while let last = streams.last, last.lane == nil {
      streams.removeLast()
      endedCount -= 1
    }
    if endedCount > 32, endedCount > streams.count / 2 {
      streams.removeAll { $0.lane == nil }
      endedCount = 0
    }
    return lane
  }

  func stream(_ number: UInt32) -> Stream? {
    let index = firstIndex(from: number)
    guard index < streams.count, streams[index].number == number, streams[index].lane != nil else { return nil }
    return streams[index]
  }

  /// The newest ones below a number, at most so many, beginning with the newest.
  func newest(_ count: Int, before number: UInt32) -> [Stream] {
    var newest: [Stream] = []
    var index = firstIndex(from: number)
    while index > 0, newest.count < count {
      index -= 1
      if streams[index].lane != nil { newest.append(streams[index]) }
    }
    return newest
  }

  private func firstIndex(from number: UInt32) -> Int {
    var (low, high) = (0, streams.count)
    while low < high {
      let middle = (low + high) / 2
      if streams[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
