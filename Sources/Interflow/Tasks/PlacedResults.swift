/// The results that have not been delivered, each with its place in the stream.
///
/// Places are counted from 1. The memory of places that have been taken is reused: one block of memory holds the places
/// from the next one on, and grows with the distance between the first and the last.
///
/// - Complexity: `put` and `take` are amortised O(1).
@frozen
@usableFromInline
struct PlacedResults<Output> {
  /// Its size is a power of two. The lowest bits of a place are its index.
  @usableFromInline var storage: ContiguousArray<Output?> = []
  /// The lowest place that has not been taken.
  @usableFromInline private(set) var first = 1
  @usableFromInline private(set) var count = 0

  @inlinable
  init() {}

  /// The largest capacity that is kept when there are no results.
  @inlinable static var keptCapacity: Int { 4_096 }

  /// Whether there is a result at the lowest place.
  @inlinable
  var isReady: Bool {
    guard count > 0 else { return false }
    if case .none = storage[first & (storage.count &- 1)] { return false }
    return true
  }

  /// Stores a result at a place that has no result and has not been taken.
  @inlinable
  mutating func put(_ output: Output, at place: Int) {
    while place &- first >= storage.count { grow() }
    storage[place & (storage.count &- 1)] = .some(output)
    count &+= 1
  }

  /// Takes the result at the lowest place, if there is one.
  @inlinable
  mutating func takeFirst() -> Output? {
    guard count > 0 else { return nil }
    guard let output = storage[first & (storage.count &- 1)].take() else { return nil }
    first &+= 1
    count &-= 1
    // The memory that a burst needed is freed when there are no results left.
    if count == 0, storage.count > Self.keptCapacity { storage = [] }
    return output
  }

  /// Skips the lowest place, for which there will be no result.
  @inlinable
  mutating func skipFirst() {
    first &+= 1
  }

  /// Takes out the results after a place, which the caller releases outside the lock.
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
