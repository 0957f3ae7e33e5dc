/// A property of a class that publishes each new value before it is stored.
///
/// `$property` is a publisher of the property's current value and of each new one. In an ``ObservableObject``, setting
/// the property also sends to `objectWillChange`, first.
///
/// - Thread: May be set from any thread, if the class allows it. The property stores the value that was published last.
///
/// ```swift
/// final class Weather {
///   @Published var temperature = 20.0
/// }
///
/// let weather = Weather()
/// let cancellable = weather.$temperature.sink { print($0) }  // 20.0
/// weather.temperature = 25  // 25.0, while weather.temperature is still 20.0
/// ```
@propertyWrapper
public struct Published<Value> {
  let box: PublishedBox<Value>

  /// Makes a published property with a first value.
  public init(initialValue: Value) {
    box = PublishedBox(initialValue)
  }

  /// Makes a published property with a first value.
  public init(wrappedValue: Value) {
    self.init(initialValue: wrappedValue)
  }

  /// The publisher of the property's current value and of each new one.
  ///
  /// The setter ignores the new publisher. It exists for ``Publisher/assign(to:)``, as in `assign(to: &$property)`.
  public var projectedValue: Publisher {
    get { Publisher(box: box) }
    nonmutating set { _ = box.published }
  }

  /// Not available: only a property of a class can be published.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@Published is only available on properties of classes") }
    nonmutating set { fatalError("@Published is only available on properties of classes") }
  }

  /// The access to the property's value from the enclosing object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].box.value }
    set { object[keyPath: storageKeyPath].box.set(newValue) }
  }

  /// A publisher of a property's value when a subscriber first requests one, and of each new value.
  ///
  /// It never completes.
  ///
  /// - Demand: Values without demand are dropped, except for the latest, which is delivered with the next request.
  public struct Publisher: Combine.Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Value
    /// A property cannot fail.
    public typealias Failure = Never

    let box: PublishedBox<Value>

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      box.published.subscribe(subscriber)
    }
  }
}

extension Published: PublishedStorage {
  static func install(
    _ publisher: ObservableObjectPublisher, at storage: UnsafeRawPointer
  ) -> ObservableObjectPublisher {
    storage.assumingMemoryBound(to: Self.self).pointee.box.install(publisher)
  }

  static func installed(at storage: UnsafeRawPointer) -> ObservableObjectPublisher? {
    storage.assumingMemoryBound(to: Self.self).pointee.box.installed
  }
}

// The box's lock guards every mutable state.
extension Published: @unchecked Sendable where Value: Sendable {}
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}

extension Publisher where Failure == Never {
  /// Assigns each value to a published property.
  ///
  /// The subscription does not retain the property's object.
  ///
  /// - Demand: Requests unlimited demand.
  /// - Cancellation: The subscription is cancelled when the property's object, and every `$property` value that was read
  ///   from it, have been released. So this publisher must not retain the same property's publisher, as
  ///   `first.append(model.$value)` would: it is never cancelled then, unless it completes.
  ///
  /// ```swift
  /// final class Clock {
  ///   @Published var ticks = 0
  ///   init() { [1, 2, 3].publisher.assign(to: &$ticks) }
  /// }
  /// ```
  public func assign(to published: inout Published<Output>.Publisher) {
    published.box.assignValues(of: self)
  }
}
