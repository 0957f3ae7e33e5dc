import Combine

extension ObservableObject {
  /// The changes of the object as an asynchronous sequence that has subscribed already: one element for each change.
  ///
  /// `objectWillChange` delivers before the object changes. A loop on the actor on which the object is changed runs
  /// only when the current work of the actor is done, so it sees the object after the change:
  ///
  /// ```swift
  /// @MainActor
  /// final class Settings: ObservableObject {
  ///   @Published var volume = 5
  /// }
  ///
  /// @MainActor
  /// func show(_ settings: Settings) async {
  ///   for await _ in settings.changes() {
  ///     print(settings.volume)
  ///   }
  /// }
  /// ```
  ///
  /// On another actor, the element may be delivered before the change is complete.
  ///
  /// Each change after this call gives one element: if the volume is changed twice before the loop runs, it prints the
  /// last volume twice. `changes(bufferingPolicy: .bufferingNewest(1))` gives one element for all changes since the
  /// last element was taken.
  ///
  /// The sequence does not retain the object, and does not end when the object is deallocated.
  ///
  /// - Demand: Requests unlimited demand, and buffers as the policy says.
  /// - Cancellation: Cancelling the task that iterates, at once while it waits in `next()` and otherwise with its
  ///   following `next()`, `cancel()`, and releasing the sequence cancel the subscription.
  /// - Parameter bufferingPolicy: Which elements to keep when changes are made faster than they are taken.
  public func changes(
    bufferingPolicy: BufferingPolicy = .unbounded
  ) -> CombineAsyncStream<ObjectWillChangePublisher> {
    objectWillChange.asyncStream(bufferingPolicy: bufferingPolicy)
  }
}
