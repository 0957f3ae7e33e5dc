/// Which elements of a pool are free, and who waits for one, in the order of arrival. A state machine, without threads.
struct PoolState<Element, Waiter> {
  private(set) var idle: [Element]
  private(set) var waiters: [Waiter] = []
  /// Whether no element is given out any more.
  private(set) var isClosed = false
  /// Whether elements are closed when they are returned.
  private var isClosing = false
  /// How many elements have not been closed.
  private(set) var openCount: Int

  init(_ elements: [Element]) {
    idle = elements
    openCount = elements.count
  }

  enum Admission {
    case use(Element)
    case wait
    case closed
  }

  /// Somebody wants an element. Who has to wait calls ``wait(_:)`` next.
  mutating func requested() -> Admission {
    if isClosed { return .closed }
    // The element that was used last, whose caches are warm.
    return idle.popLast().map { .use($0) } ?? .wait
  }

  mutating func wait(_ waiter: Waiter) { waiters.append(waiter) }

  /// Takes out a waiter that has given up.
  mutating func removeWaiter(where isWanted: (Waiter) -> Bool) -> Waiter? {
    waiters.firstIndex(where: isWanted).map { waiters.remove(at: $0) }
  }

  enum Return {
    case none
    /// Give the element to this waiter.
    case serve(Waiter)
    /// Close the element, and call ``closedElement()``.
    case close
  }

  /// An element is free again.
  mutating func returned(_ element: Element) -> Return {
    if isClosing { return .close }
    guard !waiters.isEmpty else {
      idle.append(element)
      return .none
    }
    return .serve(waiters.removeFirst())
  }

  /// Nobody gets an element any more.
  ///
  /// - Returns: The waiters that get none.
  mutating func refused() -> [Waiter] {
    isClosed = true
    defer { waiters = [] }
    return waiters
  }

  /// After ``refused()``: the elements are to be closed.
  ///
  /// - Returns: Those to close now.
  mutating func closing() -> [Element] {
    isClosing = true
    defer { idle = [] }
    return idle
  }

  /// An element has been closed.
  ///
  /// - Returns: Whether it was the last one.
  mutating func closedElement() -> Bool {
    openCount -= 1
    return openCount == 0
  }
}
