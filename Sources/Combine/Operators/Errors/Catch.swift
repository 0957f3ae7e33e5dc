extension Publishers {
  /// A publisher that goes on with another publisher when the first has failed.
  @frozen
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher: that of the second.
    public typealias Failure = NewPublisher.Failure

    /// The publisher that may fail.
    public let upstream: Upstream
    /// The closure that makes a publisher from an error.
    public let handler: (Upstream.Failure) -> NewPublisher

    /// Makes a publisher that catches the failure of another.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let handler = self.handler
      upstream.subscribe(
        CatchSubscriber<Upstream.Failure, NewPublisher, S>(subscriber, "Catch") {
          if case .failure(let error) = $0 { handler(error) } else { nil }
        })
    }
  }

  /// A publisher that goes on with another publisher when the first has failed, or fails if there is none.
  @frozen
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher that may fail.
    public let upstream: Upstream
    /// The closure that makes a publisher from an error, or throws.
    public let handler: (Upstream.Failure) throws -> NewPublisher

    /// Makes a publisher that catches the failure of another.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == any Error {
      let handler = self.handler
      upstream.subscribe(
        CatchSubscriber<Upstream.Failure, NewPublisher, S>(subscriber, "TryCatch") {
          if case .failure(let error) = $0 { try handler(error) } else { nil }
        })
    }
  }
}

/// The subscriber of the publisher that may fail. Unlike the stage it is no subscription, for Apple's is none.
@frozen
@usableFromInline
struct CatchSubscriber<Failure: Error, NewPublisher: Publisher, Downstream: Subscriber>: Subscriber,
  CustomStringConvertible,
  CustomReflectable,
  CustomPlaygroundDisplayConvertible
where NewPublisher.Output == Downstream.Input {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let stage: HandoverStage<Failure, NewPublisher, Downstream>

  @inlinable static var _chainWeight: Int { Downstream._chainWeight + ChainWeight.stage }

  @inlinable
  init(
    _ downstream: Downstream, _ name: OperatorName,
    successor: @escaping (Subscribers.Completion<Failure>) throws -> NewPublisher?
  ) {
    stage = HandoverStage(downstream, CatchCarrier(name), successor: successor)
  }

  @inlinable
  func receive(subscription: any Subscription) {
    stage.receive(subscription: subscription)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    stage.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    stage.receive(completion: completion)
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { stage.combineIdentifier }
  @usableFromInline var description: String { stage.description }
  @usableFromInline var playgroundDescription: Any { stage.playgroundDescription }
  @usableFromInline var customMirror: Mirror { stage.customMirror }
}

/// Shows the demand that goes over to the second publisher.
@usableFromInline
final class CatchCarrier: DemandCarrier {
  override var shownState: Mirror.Child { ("demand", outstandingDemand) }
}

extension Publisher {
  /// Goes on with the publisher that a closure makes from the error, when this one fails.
  ///
  /// - Demand: What was asked for and not delivered is asked of the second publisher.
  ///
  /// ```swift
  /// struct Refused: Error {}
  /// let cancellable = Fail<Int, Refused>(error: Refused())
  ///   .catch { _ in [1, 2].publisher }
  ///   .sink { print($0) }  // 1, 2
  /// ```
  @inlinable
  public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P)
    -> Publishers.Catch<Self, P>
  where Output == P.Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

  /// Goes on with the publisher that a closure makes from the error, or fails with the error that it throws.
  ///
  /// - Demand: What was asked for and not delivered is asked of the second publisher.
  @inlinable
  public func tryCatch<P: Publisher>(_ handler: @escaping (Failure) throws -> P)
    -> Publishers.TryCatch<Self, P>
  where Output == P.Output {
    Publishers.TryCatch(upstream: self, handler: handler)
  }
}
