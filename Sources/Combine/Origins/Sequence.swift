import InterflowPrimitives
import Synchronization

extension Publishers {
  /// A publisher of the elements of a sequence.
  ///
  /// Each subscriber receives the sequence from its beginning.
  ///
  /// - Demand: Elements are delivered as they are requested, during the request. The completion follows right after the
  ///   last element, without demand. An empty sequence finishes immediately.
  /// - Thread: Elements are delivered on the requesting thread. A request during a delivery on another thread adds to
  ///   the demand that the other thread serves.
  /// - Cancellation: Ends the delivery and releases the subscriber and the sequence.
  @frozen
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Elements.Element

    /// The sequence whose elements are delivered.
    public let sequence: Elements

    /// Makes a publisher of the elements of a sequence.
    @inlinable
    public init(sequence: Elements) {
      self.sequence = sequence
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      var iterator = sequence.makeIterator()
      guard let first = iterator.next() else {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .finished)
        return
      }
      subscriber.receive(
        subscription: SequenceSubscription(
          sequence: sequence, iterator: iterator, next: first, downstream: subscriber))
    }
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}
extension Publishers.Sequence: Sendable where Elements: Sendable {}

/// Delivers the elements of a sequence. Built on ``DemandLoop``, because elements are available without waiting: a
/// request is a loop, which needs no lock, and requests from inside the subscriber do not recurse.
@usableFromInline
final class SequenceSubscription<Elements: Sequence, Downstream: Subscriber>: EngineSubscription
where Elements.Element == Downstream.Input {
  // Guarded by `loop`: only the thread that runs it uses `cursor`.
  @usableFromInline let loop = DemandLoop()
  @usableFromInline let run: (SequenceSubscription) -> Void
  @usableFromInline @exclusivity(unchecked) var cursor: Cursor?
  @usableFromInline let completion: Subscribers.Completion<Downstream.Failure>

  // Used for the description alone, until the end. `readers` counts the threads that read it; the last of them after
  // the end releases it.
  @usableFromInline @exclusivity(unchecked) var sequence: Elements?
  @usableFromInline let isRecord: Bool
  @usableFromInline let readers = Atomic<UInt32>(0)

  /// `readers` is a flag for the end, and twice the number of readers.
  @frozen
  @usableFromInline
  enum Readers {
    @inlinable static var over: UInt32 { 1 }
    @inlinable static var one: UInt32 { 2 }
  }

  @frozen
  @usableFromInline
  struct Cursor {
    @usableFromInline var iterator: Elements.Iterator
    @usableFromInline var next: Elements.Element
    @usableFromInline let downstream: Downstream

    @inlinable
    init(iterator: Elements.Iterator, next: Elements.Element, downstream: Downstream) {
      self.iterator = iterator
      self.next = next
      self.downstream = downstream
    }
  }

  /// - Parameter isRecord: Whether the sequence is that of a ``Record``, whose description after the end differs.
  @inlinable
  init(
    sequence: Elements, iterator: Elements.Iterator, next: Elements.Element, downstream: Downstream,
    completion: Subscribers.Completion<Downstream.Failure> = .finished, isRecord: Bool = false
  ) {
    self.sequence = sequence
    self.completion = completion
    self.isRecord = isRecord
    cursor = Cursor(iterator: iterator, next: next, downstream: downstream)
    // Formed where every type is known, so the loop and the whole chain downstream are one specialised function.
    run = { $0.serve() }
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    // A request for no values is ignored, as with Apple's.
    if demand != .none, loop.request(demand) { run(self) }
  }

  @usableFromInline
  override func cancel() {
    let isIdle = loop.cancel()
    releaseSequence()
    if isIdle { cursor = nil }
  }

  @inlinable
  func serve() {
    guard var cursor = self.cursor.take() else { return }
    while true {
      var batch = loop.takeBatch()
      if batch == 0 {
        self.cursor = cursor
        if loop.stop() { return }
        self.cursor = nil
        if loop.isCancelled { return }
        continue
      }
      while batch > 0 {
        let value = cursor.next
        guard let next = cursor.iterator.next() else {
          if loop.isCancelled { return }
          _ = cursor.downstream.receive(value)
          let isCompleted = loop.end()
          releaseSequence()
          if isCompleted { cursor.downstream.receive(completion: completion) }
          return
        }
        // The iterator may have cancelled.
        if loop.isCancelled { return }
        cursor.next = next
        let more = cursor.downstream.receive(value)
        if loop.isCancelled { return }
        batch = PackedDemand.afterValue(batch, requesting: more.rawValue)
      }
    }
  }

  /// Releases the sequence, or leaves that to a thread that reads it.
  @inlinable
  func releaseSequence() {
    if readers.bitwiseOr(Readers.over, ordering: .acquiringAndReleasing).oldValue == 0 { sequence = nil }
  }

  /// The sequence; `nil` after the end.
  private var current: Elements? {
    var old = readers.load(ordering: .relaxed)
    while old & Readers.over == 0 {
      let (exchanged, original) = readers.compareExchange(
        expected: old, desired: old + Readers.one, ordering: .acquiringAndReleasing)
      guard exchanged else {
        old = original
        continue
      }
      let sequence = self.sequence
      let last = readers.wrappingSubtract(Readers.one, ordering: .acquiringAndReleasing).oldValue
      if last == Readers.one | Readers.over { self.sequence = nil }
      return sequence
    }
    return nil
  }

  @usableFromInline override var description: String {
    current.map { "\($0)" } ?? (isRecord ? "Cancelled Events" : "Sequence")
  }
}

extension Sequence {
  /// A publisher of the elements of this sequence.
  ///
  /// Each subscriber receives the elements as it requests them, and the completion right after the last.
  ///
  /// ```swift
  /// let cancellable = (1...3).publisher.sink { print($0) }  // 1, 2, 3
  /// ```
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> {
    Publishers.Sequence(sequence: self)
  }
}
