import Combine
import InterflowPrimitives
import Observation
import Synchronization

@available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, macCatalyst 26.0, *)
extension ObservationPublisher where Failure == Never {
  /// Makes a publisher of what a closure reads from an observable object; it finishes when the object is deallocated.
  ///
  /// ```swift
  /// @MainActor @Observable
  /// final class Player {
  ///   var position = 0
  /// }
  ///
  /// @MainActor
  /// func positions(of player: Player) -> ObservationPublisher<Int, Never> {
  ///   ObservationPublisher(of: player) { $0.position }
  /// }
  /// ```
  ///
  /// The publisher does not retain the object. If the closure also reads properties of other objects, the publisher may
  /// finish only with their next change. If it reads no observed property, there is one value and no completion.
  ///
  /// - Parameters:
  ///   - model: The object.
  ///   - isolation: The actor on which the object is read, and may be changed: the caller's.
  ///   - read: Reads the object.
  public init<Model: AnyObject & Observable>(
    of model: Model, isolation: isolated any Actor = #isolation, _ read: @escaping (Model) -> Output
  ) {
    // The closure is formed on the actor, and called only there.
    let read = UncheckedTransfer(read)
    let model = WeakModel(model)
    let release = ModelRelease()
    self = .untilFinished {
      // Naming the isolation below makes the closure inherit it.
      release.observe()
      guard let model = model.value else { return .finish }
      // The argument is evaluated only if an observed property has been read, so that something retains the watcher.
      return .next(withObservationTracking({ read.value(model) }, onChange: ModelWatcher(release, isolation).disarm))
    }
  }
}

private final class WeakModel<Model: AnyObject>: @unchecked Sendable {  // Any thread may read a weak reference.
  private(set) weak var value: Model?

  init(_ value: Model) {
    self.value = value
  }
}

/// An observable object that changes when a model has been deallocated.
private final class ModelRelease: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private var isReleased: Bool { true }

  func observe() { registrar.access(self, keyPath: \.isReleased) }

  func notify(on _: isolated any Actor) { registrar.withMutation(of: self, keyPath: \.isReleased) {} }
}

/// Part of the closure that is called when one of a model's properties changes. If it is released without having been
/// called, the model has been deallocated.
private final class ModelWatcher: Sendable {
  private let release: ModelRelease
  // Weakly, since the actor may own the model. While anybody observes, the reading closure retains the actor.
  private weak let isolation: (any Actor)?
  private let isDisarmed = Atomic(false)

  init(_ release: ModelRelease, _ isolation: any Actor) {
    self.release = release
    self.isolation = isolation
  }

  func disarm() { isDisarmed.store(true, ordering: .releasing) }

  deinit {
    guard !isDisarmed.load(ordering: .acquiring), let isolation else { return }
    // In a task: this may be released under a lock that the notification takes, too. On the actor: if the model goes
    // while it is read, the notification must come after that read, whose observation begins when it ends.
    _ = startTask { [release] in await release.notify(on: isolation) }
  }
}
