import Synchronization

/// The subscription of a publisher of one value, which delivers it with the first request, and then the completion.
///
/// The class is not generic: the value and the subscriber are in allocated memory that only specialised code accesses.
/// `flatMap { Just($0) }` may make a subscription for each element, and a generic class would spend most of that time
/// on metadata look-ups.
@usableFromInline
final class OnceSubscription: EngineSubscription {
  @frozen
  @usableFromInline
  struct Content<Downstream: Subscriber> {
    @usableFromInline let output: Downstream.Input
    @usableFromInline let downstream: Downstream

    @inlinable
    init(_ output: Downstream.Input, _ downstream: Downstream) {
      self.output = output
      self.downstream = downstream
    }
  }

  /// Flags for what has been called. The first call of either takes the content.
  @frozen
  @usableFromInline
  enum State {
    @inlinable static var requested: UInt8 { 1 }
    @inlinable static var cancelled: UInt8 { 2 }
  }

  @usableFromInline let state = Atomic<UInt8>(0)
  @usableFromInline let name: OperatorName
  @usableFromInline let content: UnsafeMutableRawPointer
  /// Takes the content, and delivers it if the argument is `true`, or else only releases it.
  @usableFromInline let takeContent: (OnceSubscription, Bool) -> Void

  @inlinable
  init<Downstream: Subscriber>(
    _ output: Downstream.Input, _ downstream: Downstream, _ name: OperatorName
  ) {
    let content = UnsafeMutablePointer<Content<Downstream>>.allocate(capacity: 1)
    content.initialize(to: Content(output, downstream))
    self.content = UnsafeMutableRawPointer(content)
    self.name = name
    takeContent = { subscription, delivers in
      let typed = subscription.content.assumingMemoryBound(to: Content<Downstream>.self)
      let content = typed.move()
      typed.deallocate()
      guard delivers else { return }
      _ = content.downstream.receive(content.output)
      if !subscription.isCancelled { content.downstream.receive(completion: .finished) }
    }
  }

  deinit {
    if state.load(ordering: .acquiring) & (State.requested | State.cancelled) == 0 { takeContent(self, false) }
  }

  @inlinable
  var isCancelled: Bool { state.load(ordering: .acquiring) & State.cancelled != 0 }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    if state.bitwiseOr(State.requested, ordering: .acquiringAndReleasing).oldValue == 0 { takeContent(self, true) }
  }

  @usableFromInline
  override func cancel() {
    if state.bitwiseOr(State.cancelled, ordering: .acquiringAndReleasing).oldValue == 0 { takeContent(self, false) }
  }

  @usableFromInline override var description: String { name.description }
}
