import Combine
import Observation

/// A publisher of what a closure reads from observable objects: first at once, and then after each change.
///
/// It is built on the standard library's `Observations`. The properties of `@Observable` objects that the closure reads
/// are observed. When one of them changes, the closure is called again, as soon as its actor is free. So all changes
/// that are made without a suspension, a transaction, give one value, the one after the last of them:
///
/// ```swift
/// @MainActor @Observable
/// final class Cart {
///   var items = 0
///   var price = 0
/// }
///
/// @MainActor
/// func total(of cart: Cart) -> ObservationPublisher<String, Never> {
///   ObservationPublisher { "\(cart.items) for \(cart.price)" }
/// }
/// ```
///
/// It fails when the closure throws, and finishes when a closure of ``untilFinished(_:)`` returns `.finish`. The
/// closure is called only after a change, and the deallocation of an object is no change: a closure that captures its
/// object weakly is not called then. ``init(of:isolation:_:)`` makes a publisher that finishes then.
///
/// - Demand: The closure is not called before there is demand. Changes without demand give one value, which is read
///   when there is demand again, so the last change is never lost.
/// - Thread: The closure runs on the actor on which it was written. The objects must be changed on that actor only:
///   changes on other threads may be read half-done, or missed. Values are delivered from a task outside any actor;
///   `sink(isolation: #isolation)` delivers them on one.
/// - Cancellation: Takes effect at once. The closure, and the objects that it retains, are released.
@available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, macCatalyst 26.0, *)
public struct ObservationPublisher<Output: Sendable, Failure: Error>: Publisher, Sendable {
  // New ones for each subscriber: each change is delivered to only one of several iterators of the same observations.
  private let makeObservations: @Sendable () -> Observations<Output, Failure>

  /// Makes a publisher of what a closure reads from observable objects.
  ///
  /// - Parameter emit: Reads the objects.
  public init(@_inheritActorContext _ emit: @escaping @isolated(any) @Sendable () throws(Failure) -> Output) {
    makeObservations = { Observations(emit) }
  }

  private init(makeObservations: @escaping @Sendable () -> Observations<Output, Failure>) {
    self.makeObservations = makeObservations
  }

  /// Makes a publisher of what a closure reads from observable objects, until the closure returns `.finish`.
  ///
  /// ```swift
  /// @MainActor @Observable
  /// final class Download {
  ///   var progress = 0
  /// }
  ///
  /// @MainActor
  /// func progress(of download: Download) -> ObservationPublisher<Int, Never> {
  ///   .untilFinished { download.progress < 100 ? .next(download.progress) : .finish }
  /// }
  /// ```
  ///
  /// - Parameter emit: Reads the objects.
  public static func untilFinished(
    @_inheritActorContext _ emit:
      @escaping @isolated(any) @Sendable () throws(Failure) -> Observations<Output, Failure>.Iteration
  ) -> ObservationPublisher {
    ObservationPublisher(makeObservations: { .untilFinished(emit) })
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    makeObservations().publisher.receive(subscriber: subscriber)
  }
}
