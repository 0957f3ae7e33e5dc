import Synchronization

/// The subscription of a publisher of one value, which comes with the first request and brings the completion along.
///
/// The value and the subscriber lie behind a pointer that only specialised code looks behind, and the class is not
/// generic: `flatMap { Just($0) }` makes one of these for each element, and look-ups of metadata would be most of it.
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

  /// Whose the content is. The first to ask or to cancel has it to itself; while somebody looks at it, that is left to
  /// the one who looks.
  @frozen
  @usableFromInline
  enum State {
    @inlinable static var asked: UInt8 { 1 }
    @inlinable static var cancelled: UInt8 { 2 }
    @inlinable static var shown: UInt8 { 4 }
  }

  /// What is done with the content.
  @frozen
  @usableFromInline
  enum Action {
    case deliver
    case discard
    /// Returns the value.
    case show
  }

  @usableFromInline let state = Atomic<UInt8>(0)
  @usableFromInline let name: OperatorName
  @usableFromInline let content: UnsafeMutableRawPointer
  @usableFromInline let perform: (OnceSubscription, Action) -> Any?

  @inlinable
  init<Downstream: Subscriber>(
    _ output: Downstream.Input, _ downstream: Downstream, _ name: OperatorName
  ) {
    let content = UnsafeMutablePointer<Content<Downstream>>.allocate(capacity: 1)
    content.initialize(to: Content(output, downstream))
    self.content = UnsafeMutableRawPointer(content)
    self.name = name
    perform = { subscription, action in
      let typed = subscription.content.assumingMemoryBound(to: Content<Downstream>.self)
      switch action {
      case .deliver:
        let content = typed.move()
        typed.deallocate()
        _ = content.downstream.receive(content.output)
        if !subscription.isCancelled { content.downstream.receive(completion: .finished) }
      case .discard:
        typed.deinitialize(count: 1)
        typed.deallocate()
      case .show:
        return typed.pointee.output
      }
      return nil
    }
  }

  deinit {
    if state.load(ordering: .acquiring) & (State.asked | State.cancelled) == 0 { _ = perform(self, .discard) }
  }

  @inlinable
  var isCancelled: Bool { state.load(ordering: .acquiring) & State.cancelled != 0 }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    if state.bitwiseOr(State.asked, ordering: .acquiringAndReleasing).oldValue == 0 { _ = perform(self, .deliver) }
  }

  @usableFromInline
  override func cancel() {
    if state.bitwiseOr(State.cancelled, ordering: .acquiringAndReleasing).oldValue == 0 { _ = perform(self, .discard) }
  }

  @usableFromInline override var description: String { name.description }

  @usableFromInline override var customMirror: Mirror { Mirror(self, unlabeledChildren: shown.map { [$0] } ?? []) }

  /// The value, while nobody has asked for it or cancelled.
  private var shown: Any? {
    guard state.compareExchange(expected: 0, desired: State.shown, ordering: .acquiringAndReleasing).exchanged else {
      return nil
    }
    let value = perform(self, .show)
    let meanwhile = state.bitwiseAnd(~State.shown, ordering: .acquiringAndReleasing).oldValue
    if meanwhile & State.cancelled != 0 {
      _ = perform(self, .discard)
    } else if meanwhile & State.asked != 0 {
      _ = perform(self, .deliver)
    }
    return value
  }
}
