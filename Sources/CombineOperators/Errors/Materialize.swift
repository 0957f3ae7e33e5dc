import Combine

extension Publishers {
  /// A publisher of the signals of another, as values.
  ///
  /// See ``Combine/Publisher/materialize()``.
  public struct Materialize<Upstream: Publisher>: Publisher {
    /// The upstream's signals.
    public typealias Output = Event<Upstream.Output, Upstream.Failure>
    /// It never fails.
    public typealias Failure = Never

    /// The publisher whose signals are delivered.
    public let upstream: Upstream

    /// Delivers the signals of a publisher as values.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      upstream.subscribe(MaterializeStage(subscriber))
    }
  }
}

extension Publisher {
  /// Delivers each signal as a value, the completion too, and then finishes.
  ///
  /// ```swift
  /// let events = [1, 2].publisher.materialize()  // value(1), value(2), finished
  /// ```
  ///
  /// - Demand: Is requested from upstream. The event of the completion needs demand as each value does.
  /// - Cancellation: Cancels this publisher; the event of its completion is dropped.
  @inlinable
  public func materialize() -> Publishers.Materialize<Self> {
    Publishers.Materialize(upstream: self)
  }
}

/// Delivers upstream's signals as values. The link counts the demand, for the event that follows upstream's last value.
@usableFromInline
final class MaterializeStage<Input, Failure: Error, Downstream: Subscriber>: Subscriber
where Downstream.Input == Event<Input, Failure>, Downstream.Failure == Never {
  @usableFromInline let downstream: Downstream
  @usableFromInline let link = LastValueLink(name: "Materialize.Subscription<\(Downstream.Input.self), Never>")

  @inlinable
  init(_ downstream: Downstream) {
    self.downstream = downstream
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if link.attach(subscription) { downstream.receive(subscription: link) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    return link.deliver { downstream.receive(.value(input)) }
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    let downstream = self.downstream
    link.finish {
      switch completion {
      case .finished: _ = downstream.receive(.finished)
      case .failure(let failure): _ = downstream.receive(.failure(failure))
      }
    } completion: {
      downstream.receive(completion: .finished)
    }
  }
}
