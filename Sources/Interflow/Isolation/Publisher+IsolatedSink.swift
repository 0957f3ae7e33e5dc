import Combine
import InterflowPrimitives

extension Publisher {
  /// Calls closures on the caller's actor with each value, in order, and with the completion.
  ///
  /// The closures of an ordinary `sink` run on the thread on which the publisher delivers, also if they were written on
  /// the main actor. These closures run on the actor, so they may use its state:
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
  /// A closure is never called from inside `send`, also if that is called on the actor: it is called when the actor has
  /// finished its current work. So when the value of a `@Published` property that was set on the actor is delivered,
  /// the property has changed already. Values that arrive meanwhile are buffered, and delivered together. Between two
  /// such batches the actor may do other work.
  ///
  /// Values need not be `Sendable`, as with `receive(on:)`; a sender must not change a value after it has sent it. This
  /// can only be called on an actor.
  ///
  /// - Demand: Requests unlimited demand. Values that arrive faster than the actor takes them are buffered without
  ///   limit.
  /// - Thread: Values are delivered in the order in which the publisher sent them. Any thread may send, and may cancel.
  ///   The closures run with the priority of the code that subscribes and without task-local values, whoever sends.
  /// - Cancellation: Nothing is delivered afterwards, and buffered values are dropped; a call that has begun on the
  ///   actor when another thread cancels is completed. The closures are released then, and after the completion.
  /// - Parameters:
  ///   - isolation: The actor, written as `#isolation`. The subscription retains it, as does a closure that uses an
  ///     actor's `self`; the overload that passes the actor to its closures does not.
  ///   - receiveCompletion: Called on the actor after the last value.
  ///   - receiveValue: Called on the actor with each value.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
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
  /// A closure that runs on an actor cannot capture the actor's `self` weakly. These closures need not capture it, so
  /// an actor can retain its subscription without a reference cycle:
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
  /// When the actor has been deallocated, the next value cancels the subscription. Otherwise, order, demand and
  /// cancellation are as with the overload whose closures do not receive the actor.
  ///
  /// - Parameters:
  ///   - actor: The actor, usually `self`. The subscription does not retain it.
  ///   - receiveCompletion: Called on the actor after the last value.
  ///   - receiveValue: Called on the actor with each value.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func sink<A: Actor>(
    isolation actor: isolated A,
    receiveCompletion: @escaping (isolated A, Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (isolated A, Output) -> Void
  ) -> AnyCancellable {
    let sink = IsolatedSink<Output, Failure>(
      receiveCompletion: passing(actor, to: receiveCompletion), receiveValue: passing(actor, to: receiveValue))
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
  /// Order, demand and cancellation are as with the overload that has a closure for the completion.
  ///
  /// - Parameters:
  ///   - isolation: The actor, written as `#isolation`. The subscription retains it.
  ///   - receiveValue: Called on the actor with each value.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
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
  /// Order, demand and cancellation are as with the overload that has a closure for the completion.
  ///
  /// - Parameters:
  ///   - actor: The actor, usually `self`. The subscription does not retain it.
  ///   - receiveValue: Called on the actor with each value.
  /// - Returns: A cancellable that cancels the subscription, also when it is deallocated.
  @inlinable
  public func sink<A: Actor>(
    isolation actor: isolated A, receiveValue: @escaping (isolated A, Output) -> Void
  ) -> AnyCancellable {
    sink(isolation: actor, receiveCompletion: { _, _ in }, receiveValue: receiveValue)
  }
}

/// A closure that passes an actor and its own argument to another closure, while the actor exists.
@inlinable
func passing<A: Actor, Argument>(
  _ actor: A, to closure: @escaping (isolated A, Argument) -> Void
) -> (Argument) -> Void {
  { [weak actor] argument in
    guard let actor else { return }
    let call = UncheckedTransfer((closure, argument))
    actor.assumeIsolated { call.value.0($0, call.value.1) }
  }
}
