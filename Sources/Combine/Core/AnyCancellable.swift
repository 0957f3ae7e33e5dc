import Synchronization

/// A type-erased cancellable that cancels when it is deallocated.
///
/// The first ``cancel()``, from any thread, cancels what this holds exactly once, and releases it.
///
/// ```swift
/// var cancellables = Set<AnyCancellable>()
/// Just(1).sink { print($0) }.store(in: &cancellables)
/// ```
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {  // See `target`.
  // The address of a retained `CancellationTarget`, or zero; the thread that exchanges it owns the reference. One word,
  // since every live subscription of a program has one of these.
  private let target: Atomic<UInt>

  @usableFromInline
  init(target: CancellationTarget) {
    self.target = Atomic(UInt(bitPattern: Unmanaged.passRetained(target).toOpaque()))
  }

  /// Makes a cancellable that calls a closure when it is cancelled.
  public convenience init(_ cancel: @escaping () -> Void) {
    self.init(target: ClosureTarget(cancel))
  }

  /// Makes a cancellable that cancels another.
  public convenience init<C: Cancellable>(_ canceller: C) {
    self.init(target: ClosureTarget(canceller.cancel))
  }

  deinit {
    cancel()
  }

  /// Cancels what this holds and releases it. A second call does nothing.
  public func cancel() {
    guard let taken = UnsafeRawPointer(bitPattern: target.exchange(0, ordering: .acquiringAndReleasing)) else { return }
    Unmanaged<CancellationTarget>.fromOpaque(taken).takeRetainedValue().cancel()
  }

  /// Whether both are the same object.
  @inlinable
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  /// Hashes the object's identity.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// Stores this in a collection, which keeps it alive.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Stores this in a set, which keeps it alive.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }
}

/// The object that an ``AnyCancellable`` cancels: usually a link, otherwise a closure.
@usableFromInline
class CancellationTarget {
  @inlinable
  init() {}

  @usableFromInline
  func cancel() {
    preconditionFailure("a cancellation target has to say what it cancels")
  }
}

private final class ClosureTarget: CancellationTarget {
  private let action: () -> Void

  init(_ action: @escaping () -> Void) {
    self.action = action
  }

  override func cancel() {
    action()
  }
}
