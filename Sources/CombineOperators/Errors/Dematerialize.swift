import Combine

extension Publishers {
  /// A publisher of the signals that another delivers as values.
  ///
  /// See ``Combine/Publisher/dematerialize()``.
  public struct Dematerialize<Upstream: Publisher>: Publisher
  where Upstream.Output: EventConvertible, Upstream.Failure == Never {
    /// The values of the events.
    public typealias Output = Upstream.Output.Output
    /// The failure of the events.
    public typealias Failure = Upstream.Output.Failure

    /// The publisher of the events.
    public let upstream: Upstream

    /// Delivers the signals that a publisher delivers as values.
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let delivery = Delivery(subscriber, "Dematerialize", NoValues())
      delivery.joinAlone(upstream) { delivery, value in
        switch value.event {
        case .value(let value): delivery.send(value)
        case .finished: delivery.finish()
        case .failure(let failure): delivery.finish(.failure(failure))
        }
      } onCompletion: { delivery, _ in
        delivery.finish()
      }
    }
  }
}

/// For an operator that needs no values between its publisher's.
@frozen
@usableFromInline
struct NoValues: DeliveryValues {
  @inlinable
  init() {}
}

extension Publisher where Output: EventConvertible, Failure == Never {
  /// Delivers the signals that this publisher delivers as values: the opposite of
  /// ``Combine/Publisher/materialize()``.
  ///
  /// An event of a completion ends the stream and cancels this publisher. If this publisher finishes without one, the
  /// stream finishes too.
  ///
  /// - Demand: The subscriber's demand is requested from this publisher, whose event of a completion needs demand as each
  ///   value does.
  /// - Cancellation: Cancels this publisher.
  public func dematerialize() -> Publishers.Dematerialize<Self> {
    Publishers.Dematerialize(upstream: self)
  }

  /// Delivers the values of the events, and neither failures nor the end.
  ///
  /// - Demand: An event that is not delivered is replaced by a demand for another.
  public func values() -> Publishers.CompactMap<Self, Output.Output> {
    compactMap { if case .value(let value) = $0.event { value } else { nil } }
  }

  /// Delivers the failure of the events, as a value.
  ///
  /// - Demand: An event that is not delivered is replaced by a demand for another.
  public func failures() -> Publishers.CompactMap<Self, Output.Failure> {
    compactMap { if case .failure(let failure) = $0.event { failure } else { nil } }
  }
}
