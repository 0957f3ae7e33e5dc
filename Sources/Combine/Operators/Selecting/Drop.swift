extension Publishers {
  /// A publisher of the values of another without the first few.
  @frozen
  public struct Drop<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// How many values are left out.
    public let count: Int

    /// Makes a publisher that leaves out the first values of another.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      precondition(count >= 0, "a negative number of values cannot be dropped, but was \(count)")
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(DropStage(subscriber, count: count))
    }
  }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}
extension Publishers.Drop: Sendable where Upstream: Sendable {}

@usableFromInline
final class DropStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline @exclusivity(unchecked) var remaining: Int
  @usableFromInline let dropLink = DropLink("Drop")

  @inlinable
  init(_ downstream: Downstream, count: Int) {
    remaining = count
    super.init(downstream, dropLink)
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    let count = remaining
    guard link.link(subscription) else { return }
    downstream.receive(subscription: link)
    dropLink.open(asking: count)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    guard remaining == 0 else {
      remaining -= 1
      return .none
    }
    return downstream.receive(input)
  }
}

/// A link that asks for the values to be dropped and for those that its subscriber asks for first in one request.
@usableFromInline
final class DropLink: UpstreamLink {
  // Guarded by `lock`: the demand that waits, until the link is open.
  private var waiting: Subscribers.Demand? = Subscribers.Demand.none

  /// Sends the demand that waits upstream, and more; from now on demand passes through.
  @usableFromInline
  func open(asking more: Int) {
    lock.lock()
    let demand = (waiting.take() ?? .none) + more
    lock.unlock()
    if demand != .none { super.request(demand) }
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    lock.lock()
    if let waiting {
      self.waiting = waiting + demand
      lock.unlock()
    } else {
      lock.unlock()
      super.request(demand)
    }
  }
}

extension Publisher {
  /// Leaves out the first values.
  ///
  /// - Demand: The values to be left out are asked for at once, in addition to what the subscriber asks for.
  ///
  /// ```swift
  /// let cancellable = (1...4).publisher
  ///   .dropFirst(2)
  ///   .sink { print($0) }  // 3, 4
  /// ```
  ///
  /// - Parameter count: How many values; a negative number is a programming error and traps.
  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    Publishers.Drop(upstream: self, count: count)
  }
}
