extension Publishers {
  /// A publisher of tuples of the latest values of two publishers.
  @frozen
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
  where A.Failure == B.Failure {
    /// The kind of values that the publisher delivers.
    public typealias Output = (A.Output, B.Output)
    /// The kind of error that may end the publisher.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B

    /// Joins the latest values of two publishers.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let latest = Delivery(
        subscriber, "CombineLatest", LatestValues<A.Output, B.Output, Void, Void>(c: (), d: ()), inputs: 2)
      latest.joinLatest(a) { $0.sendTuple(replacing: $0.values.a.exchange($1)) { a, b, _, _ in (a, b) } }
      latest.joinLatest(b) { $0.sendTuple(replacing: $0.values.b.exchange($1)) { a, b, _, _ in (a, b) } }
      latest.sendSubscription()
    }
  }
}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
extension Publishers.CombineLatest: Sendable where A: Sendable, B: Sendable {}

extension Publishers {
  /// A publisher of tuples of the latest values of three publishers.
  @frozen
  public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Failure == B.Failure, A.Failure == C.Failure {
    /// The kind of values that the publisher delivers.
    public typealias Output = (A.Output, B.Output, C.Output)
    /// The kind of error that may end the publisher.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B
    /// The third publisher.
    public let c: C

    /// Joins the latest values of three publishers.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let latest = Delivery(
        subscriber, "CombineLatest", LatestValues<A.Output, B.Output, C.Output, Void>(d: ()), inputs: 3)
      latest.joinLatest(a) { $0.sendTuple(replacing: $0.values.a.exchange($1)) { a, b, c, _ in (a, b, c) } }
      latest.joinLatest(b) { $0.sendTuple(replacing: $0.values.b.exchange($1)) { a, b, c, _ in (a, b, c) } }
      latest.joinLatest(c) { $0.sendTuple(replacing: $0.values.c.exchange($1)) { a, b, c, _ in (a, b, c) } }
      latest.sendSubscription()
    }
  }
}

extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.CombineLatest3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers {
  /// A publisher of tuples of the latest values of four publishers.
  @frozen
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where A.Failure == B.Failure, A.Failure == C.Failure, A.Failure == D.Failure {
    /// The kind of values that the publisher delivers.
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    /// The kind of error that may end the publisher.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B
    /// The third publisher.
    public let c: C
    /// The fourth publisher.
    public let d: D

    /// Joins the latest values of four publishers.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let latest = Delivery(
        subscriber, "CombineLatest", LatestValues<A.Output, B.Output, C.Output, D.Output>(), inputs: 4)
      latest.joinLatest(a) { $0.sendTuple(replacing: $0.values.a.exchange($1)) { ($0, $1, $2, $3) } }
      latest.joinLatest(b) { $0.sendTuple(replacing: $0.values.b.exchange($1)) { ($0, $1, $2, $3) } }
      latest.joinLatest(c) { $0.sendTuple(replacing: $0.values.c.exchange($1)) { ($0, $1, $2, $3) } }
      latest.joinLatest(d) { $0.sendTuple(replacing: $0.values.d.exchange($1)) { ($0, $1, $2, $3) } }
      latest.sendSubscription()
    }
  }
}

extension Publishers.CombineLatest4: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
extension Publishers.CombineLatest4: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}

extension Publisher {
  /// Delivers a tuple of the latest values of this publisher and another, each time that one of them delivers a value.
  ///
  /// The first tuple is delivered when each publisher has delivered a value. If one publisher fails, the others are
  /// cancelled, and the failure is delivered after the tuples that have been requested. The stream finishes when all
  /// publishers have finished.
  ///
  /// - Demand: The subscriber's demand is requested from each publisher. If that results in more tuples than requested,
  ///   the latest is buffered until the next request. The completion does not wait for that request: it drops the
  ///   tuple.
  /// - Thread: A tuple is delivered on the thread that sends its newest value. If another thread is delivering, the
  ///   sender waits until that delivery has ended. Values that are sent from inside the subscriber are joined when its
  ///   call has returned: the latest tuple is delivered then, once. Values that are sent during that delivery are
  ///   stored, and cause no tuple; a subscriber that writes back to one of the publishers does not call itself for
  ///   ever.
  /// - Cancellation: Cancels all publishers and drops the stored values.
  ///
  /// ```swift
  /// let width = CurrentValueSubject<Int, Never>(2)
  /// let height = CurrentValueSubject<Int, Never>(3)
  /// let cancellable = width.combineLatest(height) { $0 * $1 }
  ///   .sink { print($0) }  // 6
  /// height.value = 4  // 8
  /// ```
  @inlinable
  public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
  where Failure == P.Failure {
    Publishers.CombineLatest(self, other)
  }

  /// Delivers what a closure makes from the latest values of this publisher and another.
  @inlinable
  public func combineLatest<P: Publisher, T>(
    _ other: P, _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where Failure == P.Failure {
    combineLatest(other).map(transform)
  }

  /// Delivers a tuple of the latest values of this publisher and two others.
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q)
    -> Publishers.CombineLatest3<Self, P, Q>
  where Failure == P.Failure, Failure == Q.Failure {
    Publishers.CombineLatest3(self, publisher1, publisher2)
  }

  /// Delivers what a closure makes from the latest values of this publisher and two others.
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T>
  where Failure == P.Failure, Failure == Q.Failure {
    combineLatest(publisher1, publisher2).map(transform)
  }

  /// Delivers a tuple of the latest values of this publisher and three others.
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  )
    -> Publishers.CombineLatest4<Self, P, Q, R>
  where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
    Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
  }

  /// Delivers what a closure makes from the latest values of this publisher and three others.
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
  where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
    combineLatest(publisher1, publisher2, publisher3).map(transform)
  }
}
