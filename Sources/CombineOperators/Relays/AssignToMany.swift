import Combine

// Apple's `assign(to:on:)` for values, and not only for references: the objects are retained.

extension Publisher where Failure == Never {
  /// Assigns each value to properties of two objects, which are retained until the publisher has completed or the
  /// cancellable is cancelled.
  ///
  /// ```swift
  /// let cancellable = titles.assign(to: \.title, on: page, and: \.text, on: label)
  /// ```
  public func assign<Root1, Root2>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>, on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>, on object2: Root2
  ) -> AnyCancellable {
    sink {
      object1[keyPath: keyPath1] = $0
      object2[keyPath: keyPath2] = $0
    }
  }

  /// Assigns each value to properties of three objects, which are retained until the publisher has completed or the
  /// cancellable is cancelled.
  public func assign<Root1, Root2, Root3>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>, on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>, on object2: Root2,
    and keyPath3: ReferenceWritableKeyPath<Root3, Output>, on object3: Root3
  ) -> AnyCancellable {
    sink {
      object1[keyPath: keyPath1] = $0
      object2[keyPath: keyPath2] = $0
      object3[keyPath: keyPath3] = $0
    }
  }
}
