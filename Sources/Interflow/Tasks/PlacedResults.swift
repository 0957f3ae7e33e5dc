/// Results that wait for delivery, each at its place in the stream.
///
/// Places are counted from 1. Those that have been delivered are given up, so one block of memory holds the places from
/// the next one on, and grows with the distance between the first and the last.
///
/// - Complexity: `put` and `take` are amortised O(1).
@frozen
@usableFromInline
struct PlacedResults<Output> {
  /// A power of two in size; a place is found in it by its lowest bits.
  @usableFromInline var storage: ContiguousArray<Output?> = []
  /// The lowest place that has not been taken.
  @usableFromInline private(set) var first = 1
  @usableFromInline private(set) var count = 0

  @inlinable
  init() {}

  /// How many places may be kept while there are no results.
  @inlinable static var keptCapacity: Int { 4_096 }

  /// Whether the result of the lowest place is here.
  @inlinable
  var isReady: Bool {
    guard count > 0 else { return false }
    if case .none = storage[first & (storage.count &- 1)] { return false }
    return true
  }

  /// Keeps the result of a place that has neither been taken nor filled.
  @inlinable
  mutating func put(_ output: Output, at place: Int) {
    while place &- first >= storage.count { grow() }
    storage[place & (storage.count &- 1)] = .some(output)
    count &+= 1
  }

  /// Takes the result of the lowest place, if it is here.
  @inlinable
  mutating func takeFirst() -> Output? {
    guard count > 0 else { return nil }
    guard let output = storage[first & (storage.count &- 1)].take() else { return nil }
    first &+= 1
    count &-= 1
    // What a burst has taken is given back when it is over.
    if count == 0, storage.count > Self.keptCapacity { storage = [] }
    return output
  }

  /// Goes on to the next place, where a result is neither kept nor awaited.
  @inlinable
  mutating func skipFirst() {
    first &+= 1
  }

  /// Takes out the results after a place, for the caller to release.
  @inlinable
  mutating func takeAll(after place: Int) -> ContiguousArray<Output?> {
    guard count > 0 else { return [] }
    var taken: ContiguousArray<Output?> = []
    let next = Swift.max(place &+ 1, first)
    for place in next..<Swift.max(next, first &+ storage.count) {
      guard let output = storage[place & (storage.count &- 1)].take() else { continue }
      taken.append(output)
      count &-= 1
    }
    return taken
  }

  @inlinable
  mutating func grow() {
    let size = storage.count
    var larger = ContiguousArray<Output?>(repeating: nil, count: Swift.max(4, size &* 2))
    for place in first..<(first &+ size) {
      larger[place & (larger.count &- 1)] = storage[place & (size &- 1)].take()
    }
    storage = larger
  }
}
