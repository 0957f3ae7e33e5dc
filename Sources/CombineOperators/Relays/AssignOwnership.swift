import Combine

/// How a subscription refers to the object that it assigns to.
public enum ObjectOwnership: Sendable, Hashable {
  /// It retains the object.
  case strong
  /// It does not retain the object, and assigns nothing when that has been released.
  case weak
  /// It does not retain the object, which must exist as long as the subscription.
  case unowned
}

extension Publisher where Failure == Never {
  /// Assigns each value to a property of an object.
  ///
  /// ```swift
  /// let cancellable = titles.assign(to: \.title, on: page, ownership: .weak)
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - object: The object.
  ///   - ownership: How the subscription refers to it.
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root, ownership: ObjectOwnership = .strong
  ) -> AnyCancellable {
    let setter = Setter(keyPath, object, ownership)
    return sink { setter.set($0) }
  }

  /// Assigns each value to properties of two objects.
  public func assign<Root1: AnyObject, Root2: AnyObject>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>, on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>, on object2: Root2, ownership: ObjectOwnership = .strong
  ) -> AnyCancellable {
    let setters = (Setter(keyPath1, object1, ownership), Setter(keyPath2, object2, ownership))
    return sink {
      setters.0.set($0)
      setters.1.set($0)
    }
  }

  /// Assigns each value to properties of three objects.
  public func assign<Root1: AnyObject, Root2: AnyObject, Root3: AnyObject>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>, on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>, on object2: Root2,
    and keyPath3: ReferenceWritableKeyPath<Root3, Output>, on object3: Root3, ownership: ObjectOwnership = .strong
  ) -> AnyCancellable {
    let setters = (
      Setter(keyPath1, object1, ownership), Setter(keyPath2, object2, ownership), Setter(keyPath3, object3, ownership)
    )
    return sink {
      setters.0.set($0)
      setters.1.set($0)
      setters.2.set($0)
    }
  }
}

/// Sets a property of an object to which it refers in one of three ways.
private struct Setter<Value> {
  let set: (Value) -> Void

  init<Root: AnyObject>(
    _ keyPath: ReferenceWritableKeyPath<Root, Value>, _ object: Root, _ ownership: ObjectOwnership
  ) {
    set =
      switch ownership {
      case .strong: { object[keyPath: keyPath] = $0 }
      case .weak: { [weak object] in object?[keyPath: keyPath] = $0 }
      case .unowned: { [unowned object] in object[keyPath: keyPath] = $0 }
      }
  }
}
