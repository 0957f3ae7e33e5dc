extension Publishers {
  /// A publisher of the values of another without the first ones.
  @frozen
  public struct Drop<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// How many values are dropped.
    public let count: Int

    /// Makes a publisher that drops the first values of another.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = DropStage(subscriber, count: count)
      stage.begin()
      upstream.subscribe(stage)
    }
  }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}
extension Publishers.Drop: Sendable where Upstream: Sendable {}

/// A ``Stage`` that sends its subscription before it subscribes upstream, and counts the values to be dropped.
@usableFromInline
final class DropStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline @exclusivity(unchecked) var remaining: Int
  @usableFromInline let dropLink = DropLink("Drop", [.servesEarlyRequests, .servesEarlyCancellation])

  @inlinable
  init(_ downstream: Downstream, count: Int) {
    remaining = count
    super.init(downstream, dropLink)
  }

  /// Sends the subscription to the subscriber, before there is one upstream.
  @inlinable
  func begin() {
    Self.requireCount(remaining)
    downstream.receive(subscription: link)
  }

  // A separate function, so that the code that is specialised for each subscriber stays small.
  @usableFromInline
  @inline(never)
  static func requireCount(_ count: Int) {
    precondition(count >= 0, "dropFirst cannot drop a negative number of values, but was to drop \(count)")
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    let remaining = self.remaining
    if link.link(subscription) { dropLink.open(requesting: remaining) }
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !link.hasEnded else { return .none }
    guard remaining == 0 else {
      remaining -= 1
      return .none
    }
    return downstream.receive(input)
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    if link.finish(from: .notEnded) { downstream.receive(completion: completion) }
  }
}

/// An ``UpstreamLink`` that the subscriber gets before there is a subscription upstream. It adds up the requests until
/// then, and makes them in one request with that for the values to be dropped.
@usableFromInline
final class DropLink: UpstreamLink {
  // Guarded by `lock`: the demand requested before there is a subscription upstream; `nil` from then on.
  private var early: Subscribers.Demand? = Subscribers.Demand.none

  /// Makes the early requests and requests `more` values, in one request. From now on requests pass through.
  @usableFromInline
  func open(requesting more: Int) {
    lock.lock()
    let demand = (early.take() ?? .none) + more
    lock.unlock()
    if demand != .none { super.request(demand) }
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    lock.lock()
    if let early {
      self.early = early + demand
      lock.unlock()
    } else {
      lock.unlock()
      super.request(demand)
    }
  }
}

extension Publisher {
  /// Drops the first values.
  ///
  /// The subscriber gets its subscription at once, before this publisher is subscribed to.
  ///
  /// - Demand: When this publisher sends its subscription, the values to be dropped are requested together with what
  ///   the subscriber has requested until then. Later requests pass through.
  /// - Cancellation: If the subscriber cancels before this publisher has sent its subscription, that is cancelled when
  ///   it comes.
  ///
  /// ```swift
  /// let cancellable = (1...4).publisher
  ///   .dropFirst(2)
  ///   .sink { print($0) }  // 3, 4
  /// ```
  ///
  /// - Parameter count: How many values; a negative number is a programming error, and subscribing traps.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    Publishers.Drop(upstream: self, count: count)
  }
}
