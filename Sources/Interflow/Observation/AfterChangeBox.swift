import Combine
import InterflowPrimitives
import Synchronization

/// What a property that publishes after its change is made of: its value, and what is still to be published.
///
/// One caller at a time publishes, and what is set meanwhile waits for it: a value set from inside a subscriber would
/// reach the subscribers behind that one before the value that it follows.
final class AfterChangeBox<Value>: @unchecked Sendable {  // `lock` guards every mutable state.
  // Guarded by `lock`: everything below it. There is no subject before somebody wants to know.
  private let lock = Lock()
  private var current: Value
  private var subject: CurrentValueSubject<Value, Never>?
  private var unpublished = RingBuffer<Value>()
  private var isPublishing = false
  private weak var object: AnyObject?
  private var hasBelonged = false
  private var sources: [AfterChangeSource] = []

  init(_ value: Value) {
    current = value
  }

  var value: Value {
    lock.lock()
    defer { lock.unlock() }
    return current
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

  /// Says whose property this is, for those who set it without knowing.
  func belongs(to object: AnyObject) {
    lock.lock()
    if self.object == nil { self.object = object }
    hasBelonged = true
    lock.unlock()
  }

  /// Says that the object is about to change, stores a value, and tells everybody of it.
  func set(_ newValue: Value, of object: AnyObject?) {
    if let object = object as? any ObservableObject {
      (object.objectWillChange as? ObservableObjectPublisher)?.send()
    }
    var stored = newValue
    lock.lock()
    swap(&stored, &current)
    guard let subject else {
      lock.unlock()
      // What the property held before goes only now.
      return withExtendedLifetime(stored) {}
    }
    unpublished.append(newValue)
    let publishes = !isPublishing
    isPublishing = true
    lock.unlock()
    if publishes { publish(to: subject) }
    withExtendedLifetime(stored) {}
  }

  private func publish(to subject: CurrentValueSubject<Value, Never>) {
    while true {
      lock.lock()
      guard let value = unpublished.popFirst() else {
        isPublishing = false
        lock.unlock()
        return
      }
      lock.unlock()
      subject.send(value)
    }
  }

  /// Sets the property to what a publisher delivers, for as long as both live.
  func follow(_ publisher: some Publisher<Value, Never>) {
    let end = AfterChangeSource.End()
    let cancellable = publisher.sink { _ in
      end.hasCome.store(true, ordering: .releasing)
    } receiveValue: { [weak self] value in
      guard let self else { return }
      if self.isOrphaned { return self.dropSources() }
      self.set(value, of: self.owner)
    }
    lock.lock()
    let old = sources
    sources.removeAll(where: \.hasEnded)
    sources.append(AfterChangeSource(end: end, cancellable: cancellable))
    lock.unlock()
    withExtendedLifetime(old) {}
  }

  /// Whether the property's object has gone, and only publishers of the property are left.
  private var isOrphaned: Bool {
    lock.lock()
    let isOrphaned = hasBelonged && object == nil
    lock.unlock()
    return isOrphaned
  }

  private func dropSources() {
    lock.lock()
    let dropped = sources
    sources = []
    lock.unlock()
    for source in dropped { source.cancellable.cancel() }
  }

  private var owner: AnyObject? {
    lock.lock()
    let object = object
    lock.unlock()
    return object
  }
}

/// A publisher that a property follows: cancelled when the property goes.
private struct AfterChangeSource {
  final class End: Sendable {
    let hasCome = Atomic(false)
  }

  let end: End
  let cancellable: AnyCancellable

  var hasEnded: Bool { end.hasCome.load(ordering: .acquiring) }
}
