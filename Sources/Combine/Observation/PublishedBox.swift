import InterflowPrimitives

/// What a published property is made of: its value, and who is told before it changes.
final class PublishedBox<Value>: @unchecked Sendable {  // `lock` guards every mutable state.
  /// The last store: which set it belongs to, and the thread that made it.
  private struct Store {
    var serial: UInt64 = 0
    var thread: UInt = 0
  }

  // Guarded by `lock`: everything below it. There is no subject before somebody wants to know.
  private let lock = Lock()
  private var current: Value
  private var subject: CurrentValueSubject<Value, Never>?
  private var objectWillChange: ObservableObjectPublisher?
  private var sources: [UpstreamLink] = []
  private var serial: UInt64 = 0
  private var lastStore = Store()

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
    serial += 1
    let mine = serial
    let told = subject
    let objectWillChange = self.objectWillChange
    lock.unlock()
    objectWillChange?.send()
    told?.send(newValue)

    let me = currentThreadIdentity()
    lock.lock()
    let previous = current
    let subject = self.subject
    let overridesNested = lastStore.serial > mine && lastStore.thread == me
    current = told != nil && !overridesNested ? told.unsafelyUnwrapped.value : newValue
    lastStore = Store(serial: max(mine, lastStore.serial), thread: me)
    lock.unlock()
    if overridesNested {
      subject?.core.replaceHeld(newValue)
    } else if told == nil {
      // Somebody has come while nobody seemed to be there to tell.
      subject?.send(newValue)
    }
    withExtendedLifetime(previous) {}
  }

  /// The subject that subscribers are served from.
  var published: CurrentValueSubject<Value, Never> {
    lock.lock()
    defer { lock.unlock() }
    if let subject { return subject }
    let created = CurrentValueSubject<Value, Never>(current)
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
