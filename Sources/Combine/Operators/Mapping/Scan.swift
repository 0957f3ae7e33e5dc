import InterflowPrimitives

extension Publishers {
  /// A publisher that combines each value with the result for the value before.
  @frozen
  public struct Scan<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The result that the closure receives with the first value.
    public let initialResult: Output
    /// The closure that makes a result from the previous result and a value.
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    /// Makes a publisher that scans the values of another.
    @inlinable
    public init(
      upstream: Upstream, initialResult: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        ScanPassThrough(subscriber, initial: initialResult, next: nextPartialResult))
    }
  }

  /// A publisher that combines each value with the result for the value before, by a closure that may throw.
  @frozen
  public struct TryScan<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// The result that the closure receives with the first value.
    public let initialResult: Output
    /// The closure that makes a result from the previous result and a value.
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    /// Makes a publisher that scans the values of another.
    @inlinable
    public init(
      upstream: Upstream, initialResult: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(
        TryScanStage<Upstream.Output, Upstream.Failure, S>(
          subscriber, UpstreamLink("TryScan"), initial: initialResult, next: nextPartialResult))
    }
  }
}

/// A ``PassThrough`` that stores the last result. A class, because it has state.
@usableFromInline
final class ScanPassThrough<Input, Downstream: Subscriber>: PassThrough {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline @exclusivity(unchecked) var result: Downstream.Input
  @usableFromInline let next: (Downstream.Input, Input) -> Downstream.Input

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }

  @inlinable
  init(
    _ downstream: Downstream, initial: Downstream.Input, next: @escaping (Downstream.Input, Input) -> Downstream.Input
  ) {
    self.downstream = downstream
    result = initial
    self.next = next
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    // Kept until the new one is whole, since its release may run code that sends to this operator.
    let previous = self.result
    let result = next(previous, input)
    self.result = result
    releaseOutsideLock(previous)
    return downstream.receive(result)
  }

  @usableFromInline var operatorName: String { "Scan" }
  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

/// A ``Stage`` that stores the last result.
@usableFromInline
final class TryScanStage<Input, Failure: Error, Downstream: Subscriber>: Stage<Failure, Downstream>,
  OperatorSubscriber
{
  @usableFromInline @exclusivity(unchecked) var result: Downstream.Input
  @usableFromInline let next: (Downstream.Input, Input) throws -> Downstream.Input

  @inlinable
  init(
    _ downstream: Downstream, _ link: UpstreamLink, initial: Downstream.Input,
    next: @escaping (Downstream.Input, Input) throws -> Downstream.Input
  ) {
    result = initial
    self.next = next
    super.init(downstream, link)
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !link.hasEnded else { return .none }
    do {
      let previous = self.result
      let result = try next(previous, input)
      self.result = result
      releaseOutsideLock(previous)
      // The closure may have ended the stream.
      return link.hasEnded ? .none : downstream.receive(result)
    } catch {
      return fail(error)
    }
  }
}

extension Publisher {
  /// Combines each value with the result for the value before, and delivers the new result.
  ///
  /// Demand, completion and cancellation pass through.
  ///
  /// ```swift
  /// let cancellable = (1...4).publisher
  ///   .scan(0) { $0 + $1 }
  ///   .sink { print($0) }  // 1, 3, 6, 10
  /// ```
  @inlinable
  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Scan<Self, T> {
    Publishers.Scan(
      upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Combines each value with the result for the value before; a thrown error cancels upstream and becomes the failure.
  ///
  /// Demand, completion and cancellation pass through.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryScan<Self, T> {
    Publishers.TryScan(
      upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}
