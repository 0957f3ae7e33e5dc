/// A running activity that can be stopped.
public protocol Cancellable {
  /// Stops the activity and releases what it holds. A second call does nothing.
  func cancel()
}

extension Cancellable {
  /// Stores the activity in a collection. It is cancelled when the collection releases it.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C)
  where C.Element == AnyCancellable {
    AnyCancellable(self).store(in: &collection)
  }

  /// Stores the activity in a set. It is cancelled when the set releases it.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    AnyCancellable(self).store(in: &set)
  }
}
