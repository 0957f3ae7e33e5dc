import InterflowPrimitives

/// What a published property is made of: its value, and who is told before it changes.
final class PublishedBox<Value>: @unchecked Sendable {  // `lock` guards every mutable state.
  // Guarded by `lock`: everything below it. There is no subject before somebody wants to know.
  private let lock = Lock()
  private var current: Value
  private var subject: PublishedSubject<Value>?
  private var objectWillChange: ObservableObjectPublisher?
  private var sources: [UpstreamLink] = []
  private var sets: UInt64 = 0

  init(_ value: Value) {
    current = value
  }

  deinit {
    for source in sources { source.cancel() }
  }

  var value: Value {
    lock.lock()
    defer { lock.unlock() }
    return current
  }

  /// Tells everybody of a value, and then stores it.
  ///
  /// A set from inside a subscriber is complete when this one stores its own value over it, as Apple's does. Of sets
  /// from several threads the last one published stays.
  func set(_ newValue: Value) {
    lock.lock()
    sets += 1
    let set = sets
    let objectWillChange = self.objectWillChange
    lock.unlock()
    objectWillChange?.send()

    var stored = newValue
    var replaced: Value?
    lock.lock()
    if let subject {
      lock.unlock()
      let around = subject.send(newValue, from: set)
      lock.lock()
      replaced = subject.restore(newValue, from: set, around: around)
      stored = subject.value
    }
    swap(&stored, &current)
    lock.unlock()
    // What the property held before goes only now.
    releaseOutsideLock((stored, replaced))
  }

  /// The subject that subscribers are served from.
  var published: PublishedSubject<Value> {
    lock.lock()
    defer { lock.unlock() }
    if let subject { return subject }
    let created = PublishedSubject(current)
    subject = created
    return created
  }

  var installed: ObservableObjectPublisher? {
    lock.lock()
    defer { lock.unlock() }
    return objectWillChange
  }

  func install(_ publisher: ObservableObjectPublisher) -> ObservableObjectPublisher {
    lock.lock()
    defer { lock.unlock() }
    let installed = objectWillChange ?? publisher
    objectWillChange = installed
    return installed
  }

  /// Sets the property to what a publisher delivers, for as long as both live.
  func follow<P: Publisher>(_ publisher: P) where P.Output == Value, P.Failure == Never {
    let follower = PublishedFollower(self)
    lock.lock()
    sources.removeAll { $0.hasEnded }
    sources.append(follower.link)
    lock.unlock()
    publisher.subscribe(follower)
  }
}

/// The subscriber that sets a published property, which it does not keep alive.
private final class PublishedFollower<Value>: Subscriber {
  typealias Input = Value
  typealias Failure = Never

  let link = UpstreamLink("Published")
  private weak var box: PublishedBox<Value>?

  init(_ box: PublishedBox<Value>) {
    self.box = box
  }

  func receive(subscription: any Subscription) {
    if link.link(subscription) { subscription.request(.unlimited) }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    if link.isLinked { box?.set(input) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    _ = link.finish()
  }
}
