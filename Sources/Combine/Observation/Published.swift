/// A property of a class that publishes each new value, before it is set.
///
/// `$property` is a publisher of the property's value and of each one to come. In an ``ObservableObject`` a change also
/// fires `objectWillChange`.
///
/// - Thread: May be set from any thread, where the class allows it. The last value published is the value the property
///   ends up with.
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

  /// The publisher of the property's value and of each one to come.
  ///
  /// It stays the property's own: setting it only makes sure that there is one, and ignores the new one. That is for
  /// ``Publisher/assign(to:)``, as in `assign(to: &$property)`.
  public var projectedValue: Publisher {
    get { Publisher(box: box) }
    nonmutating set { _ = box.published }
  }

  /// A published property has to be a class's; a structure has no identity to publish for.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@Published is only available on properties of classes") }
    nonmutating set { fatalError("@Published is only available on properties of classes") }
  }

  /// The property's value, as a class's property reads and sets it.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].box.value }
    set { object[keyPath: storageKeyPath].box.set(newValue) }
  }

  /// A publisher of a property's value: of the one it has when a subscriber first asks, and of each one to come.
  ///
  /// - Demand: A subscriber that has asked for nothing misses values, and gets the latest when it asks.
  ///
  /// It neither finishes nor fails.
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
  /// Sets a published property to each value.
  ///
  /// The subscription lasts until this publisher completes or the property's object goes away. It keeps neither alive.
  ///
  /// - Demand: Without limit.
  ///
  /// ```swift
  /// final class Clock {
  ///   @Published var ticks = 0
  ///   init() { [1, 2, 3].publisher.assign(to: &$ticks) }
  /// }
  /// ```
  public func assign(to published: inout Published<Output>.Publisher) {
    published.box.follow(self)
  }
}
