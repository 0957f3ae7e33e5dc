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

  @usableFromInline typealias Deliver = (OnceSubscription, UnsafeMutableRawPointer) -> Void
  @usableFromInline typealias Discard = (UnsafeMutableRawPointer) -> Void

  // `isOver` decides who has the content to itself: the one request that delivers it, or the one that discards it.
  @usableFromInline let isOver = Atomic(false)
  @usableFromInline let isCancelled = Atomic(false)
  @usableFromInline let content: UnsafeMutableRawPointer
  @usableFromInline let deliver: Deliver
  @usableFromInline let discard: Discard
  @usableFromInline let name: OperatorName

  @inlinable
  init<Downstream: Subscriber>(
    _ output: Downstream.Input, _ downstream: Downstream, _ name: OperatorName
  ) {
    let content = UnsafeMutablePointer<Content<Downstream>>.allocate(capacity: 1)
    content.initialize(to: Content(output, downstream))
    self.content = UnsafeMutableRawPointer(content)
    self.name = name
    deliver = { subscription, pointer in
      let typed = pointer.assumingMemoryBound(to: Content<Downstream>.self)
      let content = typed.move()
      typed.deallocate()
      _ = content.downstream.receive(content.output)
      if !subscription.isCancelled.load(ordering: .acquiring) {
        content.downstream.receive(completion: .finished)
      }
    }
    discard = { pointer in
      let typed = pointer.assumingMemoryBound(to: Content<Downstream>.self)
      typed.deinitialize(count: 1)
      typed.deallocate()
    }
  }

  deinit {
    if !isOver.load(ordering: .acquiring) { discard(content) }
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.requireSome()
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { deliver(self, content) }
  }

  @usableFromInline
  override func cancel() {
    isCancelled.store(true, ordering: .releasing)
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { discard(content) }
  }

  @usableFromInline override var description: String { name.description }
}
