extension Publishers {
  /// A publisher that drops values which equal the value before.
  @frozen
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// Whether a value, given second, equals the value before it.
    public let predicate: (Output, Output) -> Bool

    /// Makes a publisher that drops the duplicates of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Output, Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        RemoveDuplicatesStage<Failure, S>(
          subscriber, UpstreamLink("RemoveDuplicates", .trapsEarlySignals), predicate: predicate))
    }
  }

  /// A publisher that drops values which equal the value before, by a closure that may throw.
  @frozen
  public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// Whether a value, given second, equals the value before it.
    public let predicate: (Output, Output) throws -> Bool

    /// Makes a publisher that drops the duplicates of another.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Output, Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        RemoveDuplicatesStage<Upstream.Failure, S>(
          subscriber, UpstreamLink("TryRemoveDuplicates", .trapsEarlySignals), predicate: predicate))
    }
  }
}

/// A ``Stage`` that compares each value with the one before.
@usableFromInline
final class RemoveDuplicatesStage<Failure: Error, Downstream: Subscriber>: Stage<Failure, Downstream>,
  OperatorSubscriber
{
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline @exclusivity(unchecked) var previous: Input?
  @usableFromInline let predicate: (Input, Input) throws -> Bool

  @inlinable
  init(_ downstream: Downstream, _ link: UpstreamLink, predicate: @escaping (Input, Input) throws -> Bool) {
    self.predicate = predicate
    super.init(downstream, link)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard link.isLinked else { return link.refuse() }
    let previous = self.previous
    self.previous = input
    do {
      if let previous, try predicate(previous, input) { return .max(1) }
      // The closure may have ended the stream.
      return link.hasEnded ? .none : downstream.receive(input)
    } catch {
      return fail(error)
    }
  }
}

extension Publisher {
  /// Drops values that equal the value before.
  ///
  /// A value, a completion or a request before the subscription is a programming error and traps, as with Apple's.
  ///
  /// - Demand: Passes through; a value that is dropped requests another in its place.
  ///
  /// ```swift
  /// let cancellable = [1, 1, 2, 1].publisher
  ///   .removeDuplicates()
  ///   .sink { print($0) }  // 1, 2, 1
  /// ```
  @inlinable
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> where Output: Equatable {
    removeDuplicates(by: ==)
  }

  /// Drops values that equal the value before, according to a closure. The value before counts even if it was dropped.
  ///
  /// A value, a completion or a request before the subscription is a programming error and traps, as with Apple's.
  ///
  /// - Demand: Passes through; a value that is dropped requests another in its place.
  ///
  /// ```swift
  /// let cancellable = ["a", "b", "cc"].publisher
  ///   .removeDuplicates { $0.count == $1.count }
  ///   .sink { print($0) }  // a, cc
  /// ```
  ///
  /// - Parameter predicate: Whether a value, given second, equals the value before it.
  @inlinable
  public func removeDuplicates(by predicate: @escaping (Output, Output) -> Bool) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
  }

  /// Drops values that equal the value before; a thrown error cancels upstream and becomes the failure.
  ///
  /// A value, a completion or a request before the subscription is a programming error and traps, as with Apple's.
  ///
  /// - Demand: Passes through; a value that is dropped requests another in its place.
  ///
  /// ```swift
  /// struct Unordered: Error {}
  /// let cancellable = [1, 1, 0].publisher
  ///   .tryRemoveDuplicates { previous, next in
  ///     if next < previous { throw Unordered() }
  ///     return next == previous
  ///   }
  ///   .sink { print($0) } receiveValue: { print($0) }  // 1, failure(Unordered())
  /// ```
  ///
  /// - Parameter predicate: Whether a value, given second, equals the value before it.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryRemoveDuplicates<Self> {
    Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
  }
}
