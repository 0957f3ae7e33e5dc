/// A running activity that can be stopped.
public protocol Cancellable {
  /// Stops the activity and frees what it holds. A second call does nothing.
  func cancel()
}

extension Cancellable {
  /// Keeps the activity running for as long as a collection holds it.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C)
  where C.Element == AnyCancellable {
    AnyCancellable(self).store(in: &collection)
  }

  /// Keeps the activity running for as long as a set holds it.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    AnyCancellable(self).store(in: &set)
  }
}
