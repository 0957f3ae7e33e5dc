/// What an element of a pool is wanted for.
enum PoolPurpose {
  /// Somebody waits for the result.
  case awaited
  /// A query that is observed: there can be any number of these, and they can take long.
  case observation
}

/// Which elements of a pool are free, and who waits for one, in the order of arrival. A state machine, without threads.
///
/// If there are several elements, observations never have all of them, so that an awaited read does not wait for a query
/// that is observed.
struct PoolState<Element, Waiter> {
  private(set) var idle: [Element]
  private(set) var waiters: [(waiter: Waiter, purpose: PoolPurpose)] = []
  /// How many elements observations have, and how many they may have.
  private var observationCount = 0
  private let maxObservationCount: Int
  /// Whether no element is given out any more.
  private(set) var isClosed = false
  /// Whether elements are closed when they are returned.
  private var isClosing = false
  /// How many elements have not been closed.
  private(set) var openCount: Int

  init(_ elements: [Element]) {
    idle = elements
    openCount = elements.count
    maxObservationCount = max(1, elements.count - 1)
  }

  enum Admission {
    case use(Element)
    case wait
    case closed
  }

  /// Somebody wants an element. Who has to wait calls ``wait(_:)`` next.
  mutating func requested(_ purpose: PoolPurpose = .awaited) -> Admission {
    if isClosed { return .closed }
    // The element that was used last, whose caches are warm.
    guard admits(purpose), let element = idle.popLast() else { return .wait }
    given(purpose)
    return .use(element)
  }

  mutating func wait(_ waiter: Waiter, _ purpose: PoolPurpose = .awaited) { waiters.append((waiter, purpose)) }

  private func admits(_ purpose: PoolPurpose) -> Bool {
    purpose == .awaited || observationCount < maxObservationCount
  }

  private mutating func given(_ purpose: PoolPurpose) {
    if purpose == .observation { observationCount += 1 }
  }

  /// Takes out a waiter that has given up.
  mutating func removeWaiter(where isWanted: (Waiter) -> Bool) -> Waiter? {
    waiters.firstIndex { isWanted($0.waiter) }.map { waiters.remove(at: $0).waiter }
  }

  enum Return {
    case none
    /// Give the element to this waiter.
    case serve(Waiter)
    /// Close the element, and call ``closedElement()``.
    case close
  }

  /// An element is free again.
  mutating func returned(_ element: Element, _ purpose: PoolPurpose = .awaited) -> Return {
    if purpose == .observation { observationCount -= 1 }
    if isClosing { return .close }
    guard let index = waiters.firstIndex(where: { admits($0.purpose) }) else {
      idle.append(element)
      return .none
    }
    let next = waiters.remove(at: index)
    given(next.purpose)
    return .serve(next.waiter)
  }

  /// Nobody gets an element any more.
  ///
  /// - Returns: The waiters that get none.
  mutating func refused() -> [Waiter] {
    isClosed = true
    defer { waiters = [] }
    return waiters.map(\.waiter)
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
