import Combine
import InterflowPrimitives
import Observation
import Synchronization

@available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, macCatalyst 26.0, *)
extension ObservationPublisher where Failure == Never {
  /// Makes a publisher of what a closure reads from an observable object, which finishes when the object goes away.
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
  /// The publisher does not keep the object alive. Where the closure reads properties of other objects too, the end may
  /// come as late as with their next change; where it reads nothing that is observed, there is one value and no end.
  ///
  /// - Parameters:
  ///   - model: The object.
  ///   - isolation: The actor on which the object is read, and may be changed: the caller's.
  ///   - read: Reads the object.
  public init<Model: AnyObject & Observable>(
    of model: Model, isolation: isolated any Actor = #isolation, _ read: @escaping (Model) -> Output
  ) {
    // The closure is called on the actor only, which is where it comes from.
    let read = UncheckedTransfer(read)
    let model = WeakModel(model)
    let end = ModelEnd()
    self = .untilFinished {
      // What a closure does not mention, it does not inherit.
      _ = isolation
      end.watch()
      guard let model = model.value else { return .finish }
      // The watcher is only made where something observed has been read, and somebody will keep it.
      return .next(withObservationTracking({ read.value(model) }, onChange: ModelWatcher(end).retire))
    }
  }
}

private final class WeakModel<Model: AnyObject>: @unchecked Sendable {  // A weak reference may be read by anyone.
  private(set) weak var value: Model?

  init(_ value: Model) {
    self.value = value
  }
}

/// Something observable that changes when a model has gone.
private final class ModelEnd: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private var hasCome: Bool { true }

  func watch() { registrar.access(self, keyPath: \.hasCome) }

  func announce() { registrar.withMutation(of: self, keyPath: \.hasCome) {} }
}

/// Kept by those who watch a model's properties, as part of what they call when one changes: released without having
/// been called, it tells that the model has gone.
private final class ModelWatcher: Sendable {
  private let end: ModelEnd
  private let isRetired = Atomic(false)

  init(_ end: ModelEnd) {
    self.end = end
  }

  func retire() { isRetired.store(true, ordering: .releasing) }

  deinit {
    guard !isRetired.load(ordering: .acquiring) else { return }
    // Later: whoever releases it may hold the lock that an announcement takes.
    Task { [end] in end.announce() }
  }
}
