import InterflowPrimitives

extension Publishers {
  /// A connectable publisher that serves several subscribers from one subscription, through a subject.
  public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
  where Upstream.Failure == SubjectType.Failure, Upstream.Output == SubjectType.Output {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher that is shared.
    public let upstream: Upstream
    /// The closure that makes the subject. Only the first subject that it makes is used.
    public let createSubject: () -> SubjectType

    // Guarded by `lock`: `madeSubject`.
    private let lock = Lock()
    private var madeSubject: SubjectType?

    /// Makes a publisher that shares another through a subject.
    public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    @usableFromInline var subject: SubjectType {
      lock.lock()
      let existing = madeSubject
      lock.unlock()
      if let existing { return existing }
      let created = createSubject()
      lock.lock()
      // Another thread may have made one meanwhile; the first is used.
      let subject = madeSubject ?? created
      madeSubject = subject
      lock.unlock()
      return withExtendedLifetime(created) { subject }
    }

    /// Attaches a subscriber to the subject.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      subject.subscribe(MulticastStage(subscriber, UpstreamLink("Multicast")))
    }

    /// Subscribes the subject to the shared publisher.
    ///
    /// - Returns: A cancellable that ends the connection, also when it is deallocated.
    public func connect() -> any Cancellable {
      upstream.subscribe(subject)
    }
  }
}

/// A ``Stage`` that passes everything on. Demand that is returned for a value is requested from the subject.
@usableFromInline
final class MulticastStage<Downstream: Subscriber>: Stage<Downstream.Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    let more = downstream.receive(input)
    if more != .none { link.request(more) }
    return .none
  }
}

extension Publisher {
  /// Shares this publisher through a subject that a closure makes, once `connect()` is called.
  ///
  /// - Demand: As the subject's. A `PassthroughSubject` requests unlimited demand from this publisher, and drops values
  ///   for which a subscriber has no demand. Demand that a subscriber returns for a value is requested from the
  ///   subject.
  /// - Cancellation: A subscriber that cancels is removed from the subject. Cancelling the connection cancels the
  ///   subscription to this publisher.
  ///
  /// ```swift
  /// let shared = [1, 2].publisher.multicast { PassthroughSubject() }
  /// let one = shared.sink { print("one", $0) }
  /// let two = shared.sink { print("two", $0) }
  /// let connection = shared.connect()
  /// ```
  @inlinable
  public func multicast<S: Subject>(_ createSubject: @escaping () -> S)
    -> Publishers.Multicast<Self, S>
  where Failure == S.Failure, Output == S.Output {
    Publishers.Multicast(upstream: self, createSubject: createSubject)
  }

  /// Shares this publisher through a subject, once `connect()` is called.
  ///
  /// Demand and cancellation are as with the overload whose closure makes the subject.
  @inlinable
  public func multicast<S: Subject>(subject: S) -> Publishers.Multicast<Self, S>
  where Failure == S.Failure, Output == S.Output {
    multicast { subject }
  }
}
