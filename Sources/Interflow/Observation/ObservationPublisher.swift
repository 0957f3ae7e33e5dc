import Combine
import Observation

/// A publisher of what is read from observable objects: of the first reading, and of one after each change.
///
/// It is built on the standard library's `Observations`. What the closure reads of `@Observable` objects is watched,
/// and read again when one of these properties is about to change and the actor that the closure belongs to has become
/// free. So all that is changed without a suspension, a transaction, gives one value, the one at its end:
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
/// It ends when a reading throws, with that failure, or when one of ``untilFinished(_:)`` says so. A reading is made
/// only after a change, and that an object goes away is none: a closure that holds its object weakly does not get to
/// say that it has gone. ``init(of:isolation:_:)`` makes a publisher that ends then.
///
/// - Demand: Nothing is read before there is demand. Changes made while there is none leave one value, the one read
///   when there is demand again; the last change is never lost.
/// - Thread: The closure runs on the actor it was written on. The objects must be changed on that actor only: what is
///   changed on another thread may be read in the middle of the change, and missed. Values are delivered
///   from a task outside any actor; `sink(isolation: #isolation)` brings them back to one.
/// - Cancellation: At once. The closure, and the objects that it holds, are released.
@available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, macCatalyst 26.0, *)
public struct ObservationPublisher<Output: Sendable, Failure: Error>: Publisher, Sendable {
  // One for each subscriber: iterators of the same observations take each other's changes.
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

  /// Makes a publisher of what a closure reads from observable objects, until the closure says that this was all.
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
