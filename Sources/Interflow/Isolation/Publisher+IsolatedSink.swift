import Combine
import InterflowPrimitives

extension Publisher {
  /// Calls closures on the caller's actor with each value, in order, and with the completion.
  ///
  /// The closure of an ordinary `sink` runs wherever the publisher happens to send, also one that was written on the
  /// main actor. These closures run on the actor, so they may use what belongs to it:
  ///
  /// ```swift
  /// @MainActor
  /// final class Downloads {
  ///   private(set) var finished: [String] = []
  ///   private(set) var hasEnded = false
  ///   private var cancellable: AnyCancellable?
  ///
  ///   func follow(_ names: some Publisher<String, any Error>) {
  ///     cancellable = names.sink(isolation: #isolation) { [weak self] _ in
  ///       self?.hasEnded = true
  ///     } receiveValue: { [weak self] name in
  ///       self?.finished.append(name)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// A closure is never called from inside the sender's `send`, not even when that is on the actor already: the actor
  /// gets to it when it has done what it is doing. So by the time the value of a `@Published` property arrives that was
  /// set on the actor, the property has changed. Values that come meanwhile wait, all of them, and are delivered
  /// together. Between two such batches the actor may do something else.
  ///
  /// Values need not be `Sendable`, as with `receive(on:)`; a sender must not go on changing what it has sent. A caller
  /// without an actor cannot call this: there is nothing to deliver on.
  ///
  /// - Demand: Without limit. What has come faster than the actor takes it is kept without limit too.
  /// - Thread: Values arrive in the order in which the publisher sent them. Any thread may send, and may cancel.
  /// - Cancellation: Nothing is delivered afterwards, whatever was waiting; a call that has begun on the actor while
  ///   another thread cancels still returns. The closures are released then, and after the completion.
  /// - Parameters:
  ///   - isolation: The actor, written as `#isolation`. The subscription keeps it alive, as does a closure that uses an
  ///     actor's `self`; the overload that passes the actor to its closures does not.
  ///   - receiveCompletion: Called on the actor after the last value.
  ///   - receiveValue: Called on the actor with each value.
  /// - Returns: What cancels the subscription; deallocating it does so too.
  @inlinable
  public func sink(
    isolation: isolated any Actor,
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = IsolatedSink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    sink.work = isolatedWork(sink, isolation: isolation)
    subscribe(sink)
    return AnyCancellable(sink)
  }

  /// Calls closures on an actor with each value, in order, and with the completion; they receive the actor.
  ///
  /// In an actor a closure that is to run there cannot capture `self` weakly. These need not capture it at all, so an
  /// actor may hold its subscription without being held by it:
  ///
  /// ```swift
  /// actor Log {
  ///   private(set) var lines: [String] = []
  ///   private(set) var hasEnded = false
  ///   private var cancellable: AnyCancellable?
  ///
  ///   func follow(_ source: some Publisher<String, any Error>) {
  ///     cancellable = source.sink(isolation: self) { log, _ in
  ///       log.hasEnded = true
  ///     } receiveValue: { log, line in
  ///       log.lines.append(line)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// When the actor has gone, the first value to come cancels the subscription. Otherwise, order, demand and
  /// cancellation are those of the overload whose closures do not receive the actor.
  ///
  /// - Parameters:
  ///   - actor: The actor, usually `self`. The subscription does not keep it alive.
  ///   - receiveCompletion: Called on the actor after the last value.
  ///   - receiveValue: Called on the actor with each value.
  /// - Returns: What cancels the subscription; deallocating it does so too.
  @inlinable
  public func sink<A: Actor>(
    isolation actor: isolated A,
    receiveCompletion: @escaping (isolated A, Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (isolated A, Output) -> Void
  ) -> AnyCancellable {
    let sink = IsolatedSink<Output, Failure>(
      receiveCompletion: handing(actor, to: receiveCompletion), receiveValue: handing(actor, to: receiveValue))
    sink.work = isolatedWork(sink, weakly: actor)
    subscribe(sink)
    return AnyCancellable(sink)
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure on the caller's actor with each value, in order.
  ///
  /// ```swift
  /// @MainActor
  /// final class Scoreboard {
  ///   private(set) var score = 0
  ///   private var cancellable: AnyCancellable?
  ///
  ///   func follow(_ points: some Publisher<Int, Never>) {
  ///     cancellable = points.sink(isolation: #isolation) { [weak self] in self?.score += $0 }
  ///   }
  /// }
  /// ```
  ///
  /// Order, demand and cancellation are those of the overload with a closure for the completion.
  ///
  /// - Parameters:
  ///   - isolation: The actor, written as `#isolation`. The subscription keeps it alive.
  ///   - receiveValue: Called on the actor with each value.
  /// - Returns: What cancels the subscription; deallocating it does so too.
  @inlinable
  public func sink(isolation: isolated any Actor, receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(isolation: isolation, receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Calls a closure on an actor with each value, in order; it receives the actor.
  ///
  /// ```swift
  /// actor Total {
  ///   private(set) var sum = 0
  ///   private var cancellable: AnyCancellable?
  ///
  ///   func follow(_ numbers: some Publisher<Int, Never>) {
  ///     cancellable = numbers.sink(isolation: self) { total, number in total.sum += number }
  ///   }
  /// }
  /// ```
  ///
  /// Order, demand and cancellation are those of the overload with a closure for the completion.
  ///
  /// - Parameters:
  ///   - actor: The actor, usually `self`. The subscription does not keep it alive.
  ///   - receiveValue: Called on the actor with each value.
  /// - Returns: What cancels the subscription; deallocating it does so too.
  @inlinable
  public func sink<A: Actor>(
    isolation actor: isolated A, receiveValue: @escaping (isolated A, Output) -> Void
  ) -> AnyCancellable {
    sink(isolation: actor, receiveCompletion: { _, _ in }, receiveValue: receiveValue)
  }
}

/// A closure that passes an actor on with its own argument, while the actor is alive.
@inlinable
func handing<A: Actor, Argument>(
  _ actor: A, to closure: @escaping (isolated A, Argument) -> Void
) -> (Argument) -> Void {
  { [weak actor] argument in
    guard let actor else { return }
    let call = UncheckedTransfer((closure, argument))
    actor.assumeIsolated { call.value.0($0, call.value.1) }
  }
}
