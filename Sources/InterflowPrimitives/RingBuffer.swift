/// A first-in first-out queue in one block of memory that grows by doubling.
///
/// - Complexity: `append`, `popFirst`, `popLast` are amortised O(1); removing a value moves no others.
@frozen
@usableFromInline
package struct RingBuffer<Element> {
  @usableFromInline var storage: ContiguousArray<Element?>
  @usableFromInline var head = 0

  /// The number of values.
  @usableFromInline package internal(set) var count = 0

  @inlinable
  package init() {
    storage = []
  }

  /// The largest capacity that an empty queue keeps.
  @inlinable static var keptCapacity: Int { 4_096 }

  @inlinable
  package var isEmpty: Bool { count == 0 }

  /// The oldest value.
  @inlinable
  package var first: Element? {
    count == 0 ? nil : storage[head]
  }

  /// All values, the oldest first.
  package var elements: [Element] {
    (0..<count).compactMap { storage[(head &+ $0) & (storage.count &- 1)] }
  }

  @inlinable
  package mutating func append(_ element: Element) {
    if count == storage.count { grow() }
    storage[(head &+ count) & (storage.count &- 1)] = element
    count &+= 1
  }

  /// Inserts a value before the first that it precedes.
  ///
  /// - Complexity: O(n).
  @inlinable
  package mutating func insert(_ element: Element, before precedes: (Element, Element) -> Bool) {
    append(element)
    var place = count &- 1
    while place > 0 {
      let before = (head &+ place &- 1) & (storage.count &- 1)
      guard let other = storage[before], precedes(element, other) else { return }
      storage.swapAt(before, (head &+ place) & (storage.count &- 1))
      place &-= 1
    }
  }

  /// Removes the oldest value.
  @inlinable
  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = storage[head].take()
    head = (head &+ 1) & (storage.count &- 1)
    count &-= 1
    // The memory that a burst needed is freed when the queue is empty.
    if count == 0, storage.count > Self.keptCapacity { removeAll() }
    return element
  }

  /// Appends a value to a buffer that is not empty, and removes the oldest.
  ///
  /// - Returns: The oldest value.
  @inlinable
  @inline(__always)
  package mutating func replaceFirst(with element: Element) -> Element? {
    let mask = storage.count &- 1
    let (oldest, next) = (head, (head &+ count) & mask)
    head = (oldest &+ 1) & mask
    // One check that the storage is not shared, for both.
    return storage.withUnsafeMutableBufferPointer {
      let removed = $0[oldest].take()
      $0[next] = element
      return removed
    }
  }

  /// Removes the newest value.
  @inlinable
  package mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count &-= 1
    return storage[(head &+ count) & (storage.count &- 1)].take()
  }

  /// Removes all values and frees the memory.
  @inlinable
  package mutating func removeAll() {
    self = RingBuffer()
  }

  @inlinable
  mutating func grow() {
    var larger = ContiguousArray<Element?>()
    larger.reserveCapacity(Swift.max(4, storage.count * 2))
    for offset in 0..<count { larger.append(storage[(head &+ offset) & (storage.count &- 1)].take()) }
    while larger.count < Swift.max(4, storage.count * 2) { larger.append(nil) }
    storage = larger
    head = 0
  }
}
