import InterflowPrimitives

/// A type-erased cancellable that cancels when it is deallocated.
///
/// What it holds is released at the first ``cancel()``, and cancelled exactly once, from whichever thread comes first.
///
/// ```swift
/// var cancellables = Set<AnyCancellable>()
/// Just(1).sink { print($0) }.store(in: &cancellables)
/// ```
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {  // `lock` guards `action`.
  // Guarded by `lock`: `action`.
  @usableFromInline let lock = Lock()
  @usableFromInline @exclusivity(unchecked) var action: (() -> Void)?

  /// Makes a cancellable that calls a closure when it is cancelled.
  @inlinable
  public init(_ cancel: @escaping () -> Void) {
    action = cancel
  }

  /// Makes a cancellable that cancels another.
  @inlinable
  public init<C: Cancellable>(_ canceller: C) {
    action = canceller.cancel
  }

  deinit {
    action?()
  }

  /// Cancels what this holds and lets go of it. A second call does nothing.
  public func cancel() {
    lock.lock()
    let action = self.action.take()
    lock.unlock()
    action?()
  }

  /// Whether both are the same object.
  @inlinable
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  /// Hashes the object's identity.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// Keeps this alive for as long as a collection holds it.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C)
  where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Keeps this alive for as long as a set holds it.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }
}
