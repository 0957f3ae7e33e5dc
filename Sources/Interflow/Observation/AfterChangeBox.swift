import Combine
import InterflowPrimitives
import Synchronization

/// The storage of a property that publishes after its change: its value, and the values still to be published.
///
/// One thread at a time publishes, and values that are set meanwhile are buffered. Otherwise a value set from inside a
/// subscriber would reach the subscribers after that one before the previous value does.
final class AfterChangeBox<Value>: @unchecked Sendable {  // `lock` guards every mutable state.
  // Guarded by `lock`: everything below it. The subject is made when the property's publisher is used for the first
  // time.
  private let lock = Lock()
  private var current: Value
  private var subject: CurrentValueSubject<Value, Never>?
  private var unpublished = RingBuffer<Value>()
  private var isPublishing = false
  private weak var object: AnyObject?
  private var assignments: [Assignment] = []

  init(_ value: Value) {
    current = value
  }

  var value: Value {
    lock.lock()
    defer { lock.unlock() }
    return current
  }

  /// The subject to which subscribers are attached.
  var published: CurrentValueSubject<Value, Never> {
    lock.lock()
    defer { lock.unlock() }
    if let subject { return subject }
    let created = CurrentValueSubject<Value, Never>(current)
    subject = created
    return created
  }

  /// Sets the object whose property this is: for ``assignValues(of:)``, which does not receive it.
  func setObject(_ object: AnyObject) {
    lock.lock()
    if self.object == nil { self.object = object }
    lock.unlock()
  }

  /// Sends to the object's `objectWillChange`, stores a value, and publishes it.
  func set(_ newValue: Value, of object: AnyObject?) {
    if let object = object as? any ObservableObject {
      (object.objectWillChange as? ObservableObjectPublisher)?.send()
    }
    var stored = newValue
    lock.lock()
    swap(&stored, &current)
    guard let subject else {
      lock.unlock()
      // Released without the lock.
      return releaseOutsideLock(stored)
    }
    unpublished.append(newValue)
    let publishes = !isPublishing
    isPublishing = true
    lock.unlock()
    if publishes { publish(to: subject) }
    releaseOutsideLock(stored)
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

  /// Sets the property to each value of a publisher, until that completes or the property's object, which alone retains
  /// this, is released.
  func assignValues(of publisher: some Publisher<Value, Never>) {
    let completion = Assignment.Completion()
    let cancellable = publisher.sink { _ in
      completion.isReceived.store(true, ordering: .releasing)
    } receiveValue: { [weak self] value in
      guard let self else { return }
      self.set(value, of: self.currentObject)
    }
    lock.lock()
    let previous = assignments
    assignments.removeAll(where: \.hasCompleted)
    assignments.append(Assignment(completion: completion, cancellable: cancellable))
    lock.unlock()
    releaseOutsideLock(previous)
  }

  private var currentObject: AnyObject? {
    lock.lock()
    let object = object
    lock.unlock()
    return object
  }
}

/// The subscription of a property to a publisher: cancelled when the property is released.
private struct Assignment {
  final class Completion: Sendable {
    let isReceived = Atomic(false)
  }

  let completion: Completion
  let cancellable: AnyCancellable

  var hasCompleted: Bool { completion.isReceived.load(ordering: .acquiring) }
}
