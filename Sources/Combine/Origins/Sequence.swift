import InterflowPrimitives
import Synchronization

extension Publishers {
  /// A publisher of the elements of a sequence.
  ///
  /// Each subscriber gets the sequence from its beginning, as fast as it asks, and the completion right after the last
  /// element, without asking for it.
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

/// Runs through a sequence as demand allows.
@usableFromInline
final class SequenceSubscription<Elements: Sequence, Downstream: Subscriber>: EngineSubscription
where Elements.Element == Downstream.Input {
  // Guarded by `ledger`: whoever it lets run has `cursor` to itself.
  @usableFromInline let ledger = RunLedger()
  @usableFromInline let run: (SequenceSubscription) -> Void
  @usableFromInline @exclusivity(unchecked) var cursor: Cursor?
  @usableFromInline let completion: Subscribers.Completion<Downstream.Failure>

  @frozen
  @usableFromInline
  struct Cursor {
    /// For the description.
    @usableFromInline let sequence: Elements
    @usableFromInline var iterator: Elements.Iterator
    @usableFromInline var next: Elements.Element
    @usableFromInline let downstream: Downstream

    @inlinable
    init(sequence: Elements, iterator: Elements.Iterator, next: Elements.Element, downstream: Downstream) {
      self.sequence = sequence
      self.iterator = iterator
      self.next = next
      self.downstream = downstream
    }
  }

  @inlinable
  init(
    sequence: Elements, iterator: Elements.Iterator, next: Elements.Element, downstream: Downstream,
    completion: Subscribers.Completion<Downstream.Failure> = .finished
  ) {
    self.completion = completion
    cursor = Cursor(sequence: sequence, iterator: iterator, next: next, downstream: downstream)
    // Formed where every type is known, so the loop and the whole chain below it are one specialised function.
    run = { $0.serve() }
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    if ledger.request(demand) { run(self) }
  }

  @usableFromInline
  override func cancel() {
    if ledger.cancel() { cursor = nil }
  }

  @inlinable
  func serve() {
    guard var cursor = self.cursor.take() else { return }
    while true {
      var batch = ledger.takeBatch()
      if batch == 0 {
        self.cursor = cursor
        if ledger.rest() { return }
        self.cursor = nil
        if ledger.isCancelled { return }
        continue
      }
      while batch > 0 {
        let value = cursor.next
        guard let next = cursor.iterator.next() else {
          _ = cursor.downstream.receive(value)
          if ledger.end() { cursor.downstream.receive(completion: completion) }
          return
        }
        cursor.next = next
        let more = cursor.downstream.receive(value)
        if ledger.isCancelled { return }
        batch = RunLedger.settle(batch, more)
      }
    }
  }

  /// The sequence, unless its elements are being delivered or the end has come.
  private var current: Elements? {
    guard ledger.tryToRun() else { return nil }
    let sequence = cursor?.sequence
    if !ledger.rest() { run(self) }
    return sequence
  }

  @usableFromInline override var description: String { current.map { "\($0)" } ?? "Sequence" }
  @usableFromInline override var customMirror: Mirror {
    Mirror(self, children: ["sequence": current.map { $0 as Any } ?? [Elements.Element]()])
  }
}

extension Sequence {
  /// A publisher of the elements of this sequence.
  ///
  /// ```swift
  /// let cancellable = (1...3).publisher.sink { print($0) }  // 1, 2, 3
  /// ```
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> {
    Publishers.Sequence(sequence: self)
  }
}
