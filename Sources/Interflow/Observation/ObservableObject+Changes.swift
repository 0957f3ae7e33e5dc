import Combine

extension ObservableObject {
  /// The changes of the object as an asynchronous sequence that has subscribed already: one element for each change.
  ///
  /// `objectWillChange` fires before the object changes. A loop on the actor on which the object is changed gets to run
  /// only when what runs there has been done, and then finds the object as that has left it:
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
  /// On another actor, a change may still be under way when its element arrives.
  ///
  /// No change that is made after this call is lost, and none is merged with another: if the volume is changed twice
  /// before the loop runs, it prints the last one twice. A loop that only wants to know that there was something new asks
  /// for `changes(bufferingPolicy: .bufferingNewest(1))`, which keeps one element for all changes since the last.
  ///
  /// The sequence does not keep the object alive, nor does it end with the object, of which it hears nothing more then.
  ///
  /// - Cancellation: Cancelling the task that iterates, `cancel()`, and dropping the sequence end the subscription.
  /// - Parameter bufferingPolicy: What to keep when the changes come faster than they are taken.
  public func changes(
    bufferingPolicy: BufferingPolicy = .unbounded
  ) -> CombineAsyncStream<ObjectWillChangePublisher> {
    objectWillChange.asyncStream(bufferingPolicy: bufferingPolicy)
  }
}
