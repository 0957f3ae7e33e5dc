extension Publishers {
  /// A publisher that changes each value with the result of the values before it.
  @frozen
  public struct Scan<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// What the closure gets with the first value.
    public let initialResult: Output
    /// The closure that makes a result from the result before and a value.
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

  /// A publisher that changes each value with the result of the values before it, with a closure that may throw.
  @frozen
  public struct TryScan<Upstream: Publisher, Output>: Publisher {
    /// The kind of error that may end the publisher.
    public typealias Failure = any Error

    /// The publisher whose values are taken.
    public let upstream: Upstream
    /// What the closure gets with the first value.
    public let initialResult: Output
    /// The closure that makes a result from the result before and a value.
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

/// A class, for it has state; otherwise it is as `map`'s.
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
    let result = next(self.result, input)
    self.result = result
    return downstream.receive(result)
  }

  @usableFromInline var operatorName: String { "Scan" }
  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

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
      let result = try next(self.result, input)
      self.result = result
      return downstream.receive(result)
    } catch {
      return fail(error)
    }
  }
}

extension Publisher {
  /// Changes each value with the result of the values before it.
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

  /// Changes each value with the result of the values before it; an error thrown cancels upstream and ends the stream.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryScan<Self, T> {
    Publishers.TryScan(
      upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}
