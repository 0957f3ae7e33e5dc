extension Publishers {
  /// A publisher of the values of one publisher up to the first value of another.
  @frozen
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The publisher whose first value ends the stream.
    public let other: Other

    /// Makes a publisher of the values of one publisher up to the first of another.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = PrefixUntilOutputStage(subscriber)
      other.subscribe(stage.makeSignal() as Signal<Other.Output, Other.Failure>)
      upstream.subscribe(stage)
    }
  }
}

extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

@usableFromInline
final class PrefixUntilOutputStage<Downstream: Subscriber>: SignalledStage<Downstream.Failure, Downstream>, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline
  init(_ downstream: Downstream) {
    super.init(downstream, "PrefixUntilOutput")
  }

  @usableFromInline
  func makeSignal<Other, OtherFailure>() -> Signal<Other, OtherFailure> {
    Signal(of: self, signalledLink.signal, onValue: { self.stop(.finished) }, onCompletion: { _ in })
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked, signalledLink.enter() else { return .none }
    let more = downstream.receive(input)
    leave()
    return more
  }
}

extension Publisher {
  /// Passes values on until another publisher delivers one, which cancels upstream and finishes.
  ///
  /// Where the other publisher completes without a value, all values are passed on.
  ///
  /// - Demand: Passes through; the other publisher is asked for one value.
  /// - Thread: The other publisher may deliver on any thread. Where the subscriber is being given a value, it gets the
  ///   completion right after that, on the same thread.
  ///
  /// ```swift
  /// let numbers = PassthroughSubject<Int, Never>()
  /// let stop = PassthroughSubject<Void, Never>()
  /// let cancellable = numbers
  ///   .prefix(untilOutputFrom: stop)
  ///   .sink { print($0) }
  /// numbers.send(1)  // 1
  /// stop.send()
  /// numbers.send(2)
  /// ```
  @inlinable
  public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }
}
