import InterflowPrimitives

extension Publishers {
  /// A publisher that joins the values of two publishers in tuples: first with first, second with second.
  @frozen
  public struct Zip<A: Publisher, B: Publisher>: Publisher
  where A.Failure == B.Failure {
    /// The kind of values that the publisher delivers.
    public typealias Output = (A.Output, B.Output)
    /// The kind of error that may end the publisher.
    public typealias Failure = A.Failure

    /// The first publisher.
    public let a: A
    /// The second publisher.
    public let b: B

    /// Joins the values of two publishers.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let zip = Delivery(subscriber, "Zip", Zip2Values<A.Output, B.Output>(), inputs: 2)
      zip.joinZipped(a) {
        $0.values.a.append($1)
        $0.sendTuple()
      }
      zip.joinZipped(b) {
        $0.values.b.append($1)
        $0.sendTuple()
      }
      zip.sendSubscription()
    }
  }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Zip: Sendable where A: Sendable, B: Sendable {}

extension Publishers {
  /// A publisher that joins the values of three publishers in tuples: first with first, second with second.
  @frozen
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
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

    /// Joins the values of three publishers.
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
      let zip = Delivery(subscriber, "Zip", Zip3Values<A.Output, B.Output, C.Output>(), inputs: 3)
      zip.joinZipped(a) {
        $0.values.a.append($1)
        $0.sendTuple()
      }
      zip.joinZipped(b) {
        $0.values.b.append($1)
        $0.sendTuple()
      }
      zip.joinZipped(c) {
        $0.values.c.append($1)
        $0.sendTuple()
      }
      zip.sendSubscription()
    }
  }
}

extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Zip3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers {
  /// A publisher that joins the values of four publishers in tuples: first with first, second with second.
  @frozen
  public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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

    /// Joins the values of four publishers.
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
      let zip = Delivery(subscriber, "Zip", Zip4Values<A.Output, B.Output, C.Output, D.Output>(), inputs: 4)
      zip.joinZipped(a) {
        $0.values.a.append($1)
        $0.sendTuple()
      }
      zip.joinZipped(b) {
        $0.values.b.append($1)
        $0.sendTuple()
      }
      zip.joinZipped(c) {
        $0.values.c.append($1)
        $0.sendTuple()
      }
      zip.joinZipped(d) {
        $0.values.d.append($1)
        $0.sendTuple()
      }
      zip.sendSubscription()
    }
  }
}

extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
extension Publishers.Zip4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}

extension Publisher {
  /// Joins this publisher's values with another's in tuples: first with first, second with second.
  ///
  /// If one publisher fails, the others are cancelled, and the failure is delivered after the tuples that have been
  /// requested. The stream finishes when one publisher has finished and all its values have been joined.
  ///
  /// - Demand: The subscriber's demand is requested from each publisher. Values are buffered, without limit, until they
  ///   are joined.
  /// - Thread: A tuple is delivered on the thread that sends its last value. If another thread is delivering, the
  ///   sender waits until that delivery has ended. A value that is sent from inside the subscriber is joined and
  ///   delivered immediately, as a nested call.
  /// - Cancellation: Cancels all publishers and drops the buffered values.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .zip(["a", "b"].publisher)
  ///   .sink { print($0) }  // (1, "a"), (2, "b")
  /// ```
  @inlinable
  public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where Failure == P.Failure {
    Publishers.Zip(self, other)
  }

  /// Joins this publisher's values with another's, and delivers what a closure makes from each tuple.
  @inlinable
  public func zip<P: Publisher, T>(
    _ other: P, _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where Failure == P.Failure {
    zip(other).map(transform)
  }

  /// Joins this publisher's values with two others' in tuples: first with first, second with second.
  @inlinable
  public func zip<P: Publisher, Q: Publisher>(_ publisher1: P, _ publisher2: Q)
    -> Publishers.Zip3<Self, P, Q>
  where Failure == P.Failure, Failure == Q.Failure {
    Publishers.Zip3(self, publisher1, publisher2)
  }

  /// Joins this publisher's values with two others', and delivers what a closure makes from each tuple.
  @inlinable
  public func zip<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T>
  where Failure == P.Failure, Failure == Q.Failure {
    zip(publisher1, publisher2).map(transform)
  }

  /// Joins this publisher's values with three others' in tuples: first with first, second with second.
  @inlinable
  public func zip<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  )
    -> Publishers.Zip4<Self, P, Q, R>
  where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
    Publishers.Zip4(self, publisher1, publisher2, publisher3)
  }

  /// Joins this publisher's values with three others', and delivers what a closure makes from each tuple.
  @inlinable
  public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T>
  where Failure == P.Failure, Failure == Q.Failure, Failure == R.Failure {
    zip(publisher1, publisher2, publisher3).map(transform)
  }
}
