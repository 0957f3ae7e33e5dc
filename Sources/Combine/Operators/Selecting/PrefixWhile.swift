extension Publishers {
  /// A publisher of the values of another before the first that a closure rejects.
  @frozen
  public struct PrefixWhile<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that accepts a value.
    public let predicate: (Upstream.Output) -> Bool

    /// Makes a publisher of the first values of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        PrefixWhileStage<Failure, S>(subscriber, UpstreamLink("PrefixWhile", .trapsEarlySignals), predicate: predicate))
    }
  }

  /// A publisher of the values of another before the first that a closure, which may throw, rejects.
  @frozen
  public struct TryPrefixWhile<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that accepts a value.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Makes a publisher of the first values of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        PrefixWhileStage<Upstream.Failure, S>(
          subscriber, UpstreamLink("TryPrefixWhile", .trapsEarlySignals), predicate: predicate))
    }
  }
}

/// A ``Stage`` that finishes when a closure rejects a value.
@usableFromInline
final class PrefixWhileStage<Failure: Error, Downstream: Subscriber>: Stage<Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let predicate: (Input) throws -> Bool

  @inlinable
  init(_ downstream: Downstream, _ link: UpstreamLink, predicate: @escaping (Input) throws -> Bool) {
    self.predicate = predicate
    super.init(downstream, link)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return link.refuse() }
    do {
      // The closure may have ended the stream.
      if try predicate(input) { return link.hasEnded ? .none : downstream.receive(input) }
      finish()
      return .none
    } catch {
      return fail(error)
    }
  }
}

extension Publisher {
  /// Passes values on until a closure rejects one, which cancels upstream and finishes.
  ///
  /// A value, a completion or a request before the subscription is a programming error and traps, as with Apple's.
  ///
  /// - Demand: Passes through.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3, 1].publisher
  ///   .prefix { $0 < 3 }
  ///   .sink { print($0) }  // 1, 2
  /// ```
  @inlinable
  public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
    Publishers.PrefixWhile(upstream: self, predicate: predicate)
  }

  /// Passes values on until a closure rejects one; a thrown error cancels upstream and becomes the failure.
  ///
  /// A value, a completion or a request before the subscription is a programming error and traps, as with Apple's.
  ///
  /// - Demand: Passes through.
  ///
  /// ```swift
  /// struct Negative: Error {}
  /// let cancellable = [1, -1].publisher
  ///   .tryPrefix { number in
  ///     if number < 0 { throw Negative() }
  ///     return number < 3
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // 1, failure(Negative())
  /// ```
  @inlinable
  public func tryPrefix(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryPrefixWhile<Self> {
    Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
  }
}
