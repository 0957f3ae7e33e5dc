import InterflowPrimitives

/// The values that `zip` has not joined yet.
@usableFromInline
protocol ZipValues: JoinedValues {
  associatedtype Tuple

  /// Takes the oldest value of each input, if there is one of each.
  mutating func takeTuple() -> Tuple?

  /// Whether no more tuples can be made, since an input has finished and its values have been joined.
  func isExhausted(_ finished: FinishedInputs) -> Bool
}

extension Delivery where Values: ZipValues, Values.Tuple == Downstream.Input {
  /// Subscribes to one of the publishers that are zipped.
  @inlinable
  func joinZipped<P: Publisher>(_ publisher: P, _ append: @escaping (Delivery, P.Output) -> Void)
  where P.Failure == Downstream.Failure {
    join(publisher, [.demanded, .returnsDemand, .cancelsFailed], accept: append) {
      if $0.values.isExhausted($0.finished) { $0.finish() }
    }
  }

  /// Sends the next tuple, if it is complete.
  @inlinable
  func sendTuple() {
    guard let tuple = values.takeTuple() else { return }
    let isDone = !finished.isEmpty && values.isExhausted(finished)
    send(tuple)
    if isDone { finish() }
  }
}

@frozen
@usableFromInline
struct Zip2Values<A, B>: ZipValues {
  @usableFromInline var a = RingBuffer<A>()
  @usableFromInline var b = RingBuffer<B>()

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func takeTuple() -> (A, B)? {
    guard !a.isEmpty, !b.isEmpty, let first = a.popFirst(), let second = b.popFirst() else { return nil }
    return (first, second)
  }

  @inlinable
  func isExhausted(_ finished: FinishedInputs) -> Bool {
    finished.contains(0) && a.isEmpty || finished.contains(1) && b.isEmpty
  }
}

// Nested zips of two do not behave as one of three: an inner zip finishes when it has joined all values of a publisher
// that has finished, and then hides a failure of its other publisher.

@frozen
@usableFromInline
struct Zip3Values<A, B, C>: ZipValues {
  @usableFromInline var a = RingBuffer<A>()
  @usableFromInline var b = RingBuffer<B>()
  @usableFromInline var c = RingBuffer<C>()

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func takeTuple() -> (A, B, C)? {
    guard !a.isEmpty, !b.isEmpty, !c.isEmpty, let first = a.popFirst(), let second = b.popFirst(),
      let third = c.popFirst()
    else { return nil }
    return (first, second, third)
  }

  @inlinable
  func isExhausted(_ finished: FinishedInputs) -> Bool {
    finished.contains(0) && a.isEmpty || finished.contains(1) && b.isEmpty || finished.contains(2) && c.isEmpty
  }
}

@frozen
@usableFromInline
struct Zip4Values<A, B, C, D>: ZipValues {
  @usableFromInline var a = RingBuffer<A>()
  @usableFromInline var b = RingBuffer<B>()
  @usableFromInline var c = RingBuffer<C>()
  @usableFromInline var d = RingBuffer<D>()

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  mutating func takeTuple() -> (A, B, C, D)? {
    guard !a.isEmpty, !b.isEmpty, !c.isEmpty, !d.isEmpty, let first = a.popFirst(), let second = b.popFirst(),
      let third = c.popFirst(), let fourth = d.popFirst()
    else { return nil }
    return (first, second, third, fourth)
  }

  @inlinable
  func isExhausted(_ finished: FinishedInputs) -> Bool {
    finished.contains(0) && a.isEmpty || finished.contains(1) && b.isEmpty || finished.contains(2) && c.isEmpty
      || finished.contains(3) && d.isEmpty
  }
}
