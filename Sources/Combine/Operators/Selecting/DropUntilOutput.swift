import Synchronization

extension Publishers {
  /// A publisher of the values of one publisher after the first value of another.
  @frozen
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The publisher whose first value lets the values through.
    public let other: Other

    /// Makes a publisher of the values of one publisher after the first of another.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = DropUntilOutputStage(subscriber)
      other.subscribe(stage.makeSignal() as Signal<Other.Output, Failure>)
      upstream.subscribe(stage)
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

@usableFromInline
final class DropUntilOutputStage<Downstream: Subscriber>: SignalledStage<Downstream.Failure, Downstream>, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @inlinable static var open: UInt { .max }

  /// How many values have been left out, or ``open``.
  @usableFromInline let skipped = Atomic<UInt>(0)

  @usableFromInline
  init(_ downstream: Downstream) {
    super.init(downstream, "DropUntilOutput")
  }

  @usableFromInline
  func makeSignal<Other>() -> Signal<Other, Failure> {
    Signal(of: self, signalledLink.signal, onValue: { self.letThrough() }, onCompletion: { self.stop($0) })
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, !skip() else { return .none }
    return downstream.receive(input)
  }

  /// Counts a value that is left out.
  ///
  /// - Returns: Whether it is.
  @inlinable
  func skip() -> Bool {
    var old = skipped.load(ordering: .acquiring)
    while old != Self.open {
      let (exchanged, original) = skipped.weakCompareExchange(
        expected: old, desired: old + 1, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      old = original
    }
    return false
  }

  private func letThrough() {
    let count = skipped.exchange(Self.open, ordering: .acquiringAndReleasing)
    if count > 0 { link.request(.max(Int(count))) }
  }
}

extension Publisher {
  /// Leaves out values until another publisher delivers one; all values after that are passed on.
  ///
  /// Where the other publisher completes without a value, so does this, and cancels upstream.
  ///
  /// - Demand: Passes through; the other publisher is asked for one value. When that comes, upstream is asked for as
  ///   many values as were left out, so the subscriber gets what it asked for. Before that, none are replaced.
  ///
  /// ```swift
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let start = PassthroughSubject<Void, Never>()
  /// let cancellable = numbers
  ///   .drop(untilOutputFrom: start)
  ///   .sink { print($0) }
  /// numbers.send(1)
  /// start.send()
  /// numbers.send(2)  // 2
  /// ```
  @inlinable
  public func drop<P: Publisher>(
    untilOutputFrom publisher: P
  ) -> Publishers.DropUntilOutput<Self, P> where Failure == P.Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}
