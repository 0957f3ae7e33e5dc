import InterflowPrimitives

/// The storage of a published property: its value, and the publishers to which it sends before it changes.
final class PublishedBox<Value>: @unchecked Sendable {  // `lock` guards every mutable state.
  // Guarded by `lock`: everything below it. The subject is made when somebody first uses the property's publisher.
  private let lock = Lock()
  private var current: Value
  private var subject: PublishedSubject<Value>?
  private var objectWillChange: ObservableObjectPublisher?
  private var upstreamLinks: [UpstreamLink] = []
  private var lastSet: UInt64 = 0

  init(_ value: Value) {
    current = value
  }

  deinit {
    for link in upstreamLinks { link.cancel() }
  }

  var value: Value {
    lock.lock()
    defer { lock.unlock() }
    return current
  }

  /// Sends a value to the publishers, and then stores it.
  ///
  /// If a subscriber sets the property from inside this, the value set here still replaces that one, as with Apple's.
  /// If several threads set the property, the value that was published last stays.
  func set(_ newValue: Value) {
    lock.lock()
    lastSet += 1
    let set = lastSet
    let objectWillChange = self.objectWillChange
    lock.unlock()
    objectWillChange?.send()

    var stored = newValue
    var replaced: Value?
    lock.lock()
    if let subject {
      lock.unlock()
      let enclosingSet = subject.send(newValue, from: set)
      lock.lock()
      replaced = subject.restore(newValue, from: set, inside: enclosingSet)
      stored = subject.value
    }
    swap(&stored, &current)
    lock.unlock()
    releaseOutsideLock((stored, replaced))
  }

  /// The subject to which subscribers are attached.
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

  /// Sets the property to each value of a publisher, until that completes or this is released.
  func assignValues<P: Publisher>(of publisher: P) where P.Output == Value, P.Failure == Never {
    let subscriber = PublishedSubscriber(self)
    lock.lock()
    upstreamLinks.removeAll { $0.hasEnded }
    upstreamLinks.append(subscriber.link)
    lock.unlock()
    publisher.subscribe(subscriber)
  }
}

/// The subscriber that sets a published property, which it does not retain.
private final class PublishedSubscriber<Value>: Subscriber {
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
