import InterflowPrimitives

/// The base class of every operator that requests unlimited demand and delivers one result.
///
/// A subclass is final, conforms to ``OperatorSubscriber``, adds `receive(_:)`, and overrides ``result`` with the value
/// to deliver when upstream finishes. Calling ``deliver(_:)`` ends the stream early with a result.
@usableFromInline
class ReduceStage<Failure: Error, Downstream: Subscriber>: LinkedSubscription {
  @usableFromInline final let downstream: Downstream
  @usableFromInline final let link: ResultLink

  @inlinable static var specializationDepth: Int { Downstream._specializationDepth + SpecializationDepth.stage }
  // For a subclass that conforms to `Subscriber` only, which would have depth zero otherwise.
  @inlinable static var _specializationDepth: Int { specializationDepth }

  @usableFromInline
  init(_ downstream: Downstream, _ name: OperatorName) {
    self.downstream = downstream
    link = ResultLink(name)
  }

  /// The value to deliver before the completion when upstream finishes; `nil` if there is none.
  @usableFromInline var result: Downstream.Input? { nil }

  @usableFromInline
  final func receive(subscription: any Subscription) {
    guard link.link(subscription) else { return }
    downstream.receive(subscription: link)
    if link.isLinked { subscription.request(.unlimited) }
  }

  @usableFromInline
  final func receive(completion: Subscribers.Completion<Failure>) {
    guard link.finish() else { return }
    if case .finished = completion {
      if let result { link.offer(resultDelivery(result)) } else { link.offer(completionDelivery) }
    } else if link.close() {
      downstream.receive(completion: completion.converted())
    }
  }

  /// Cancels upstream and delivers the result, once the subscriber has requested it.
  ///
  /// - Returns: No demand, for a `receive` to return.
  @usableFromInline
  @discardableResult
  final func deliver(_ result: Downstream.Input) -> Subscribers.Demand {
    if link.sever() == .linked { link.offer(resultDelivery(result)) }
    return .none
  }

  /// Ends the stream with an error that a closure has thrown: cancels upstream and then sends the failure.
  ///
  /// - Returns: No demand, for a `receive` to return.
  @usableFromInline
  @discardableResult
  final func fail(_ error: any Error) -> Subscribers.Demand {
    if link.sever() == .linked, link.close() { downstream.receive(completion: .failure(error.converted())) }
    return .none
  }

  private final var completionDelivery: ResultLink.Delivery {
    { [downstream] link in
      if link.close() { downstream.receive(completion: .finished) }
    }
  }

  private final func resultDelivery(_ result: Downstream.Input) -> ResultLink.Delivery {
    { [downstream] link in
      _ = downstream.receive(result)
      if link.close() { downstream.receive(completion: .finished) }
    }
  }

  @usableFromInline final var customMirror: Mirror { Mirror(self, children: ["downstream": downstream]) }
}

/// The subscription of an operator with one result. It buffers the result until the first request, and also the
/// completion if there is no result.
@usableFromInline
final class ResultLink: UpstreamLink {
  /// Delivers the result, and then the completion unless ``close()`` reports a cancellation during the delivery.
  typealias Delivery = (ResultLink) -> Void

  // Guarded by `lock`: the delivery to make, and whether it has been requested.
  private var state = DeliveryState<Delivery, Never>(.open)

  /// Makes the delivery now if there has been a request, and otherwise with the first request.
  func offer(_ delivery: @escaping Delivery) {
    lock.lock()
    state.append(delivery)
    let next = state.takeNext()
    lock.unlock()
    next?(self)
  }

  /// Ends the delivery: nothing more is delivered.
  ///
  /// - Returns: Whether it had not ended before.
  @discardableResult
  func close() -> Bool {
    lock.lock()
    let wasOpen = !state.isOver
    let dropped = state.cancelled()
    lock.unlock()
    releaseOutsideLock(dropped)
    return wasOpen
  }

  /// Upstream's end comes before the delivery.
  override var hasDeliveredAll: Bool {
    lock.lock()
    defer { lock.unlock() }
    return state.isOver
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    lock.lock()
    state.requested(demand.rawValue)
    let next = state.takeNext()
    lock.unlock()
    next?(self)
  }

  @usableFromInline
  override func cancel() {
    close()
    sever()
  }
}
