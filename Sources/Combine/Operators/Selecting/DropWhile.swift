extension Publishers {
  /// A publisher of the values of another, beginning with the first that a closure rejects.
  @frozen
  public struct DropWhile<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that accepts a value to be dropped.
    public let predicate: (Upstream.Output) -> Bool

    /// Makes a publisher that drops the first values of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        DropWhileStage<Failure, S>(subscriber, UpstreamLink("DropWhile"), predicate: predicate))
    }
  }

  /// A publisher of the values of another, beginning with the first that a closure, which may throw, rejects.
  @frozen
  public struct TryDropWhile<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The closure that accepts a value to be dropped.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Makes a publisher that drops the first values of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        DropWhileStage<Upstream.Failure, S>(subscriber, UpstreamLink("TryDropWhile"), predicate: predicate))
    }
  }
}

/// A ``Stage`` that drops values until a closure has rejected one.
@usableFromInline
final class DropWhileStage<Failure: Error, Downstream: Subscriber>: Stage<Failure, Downstream>, OperatorSubscriber {
  @usableFromInline typealias Input = Downstream.Input

  /// The closure that accepts a value to be dropped; `nil` once it has rejected one, since all later values are passed
  /// on.
  @usableFromInline @exclusivity(unchecked) var predicate: ((Input) throws -> Bool)?

  @inlinable
  init(_ downstream: Downstream, _ link: UpstreamLink, predicate: @escaping (Input) throws -> Bool) {
    self.predicate = predicate
    super.init(downstream, link)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return .none }
    if let predicate {
      do {
        if try predicate(input) { return .max(1) }
        self.predicate = nil
      } catch {
        return fail(error)
      }
      // The closure may have ended the stream.
      if link.hasEnded { return .none }
    }
    return downstream.receive(input)
  }
}

extension Publisher {
  /// Drops values until a closure rejects one; that value and all later ones are passed on.
  ///
  /// - Demand: Passes through; a value that is dropped requests another in its place.
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3, 1].publisher
  ///   .drop { $0 < 3 }
  ///   .sink { print($0) }  // 3, 1
  /// ```
  @inlinable
  public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
    Publishers.DropWhile(upstream: self, predicate: predicate)
  }

  /// Drops values until a closure rejects one; a thrown error cancels upstream and becomes the failure.
  ///
  /// - Demand: Passes through; a value that is dropped requests another in its place.
  ///
  /// ```swift
  /// struct Negative: Error {}
  /// let cancellable = [1, -1, 3].publisher
  ///   .tryDrop { number in
  ///     if number < 0 { throw Negative() }
  ///     return number < 3
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // failure(Negative())
  /// ```
  @inlinable
  public func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
    Publishers.TryDropWhile(upstream: self, predicate: predicate)
  }
}
