import Combine

/// A property of a class that publishes each new value after it has been set.
///
/// `@Published` publishes before: a subscriber that reads the property finds the old value there. With this wrapper the
/// property already has the value that `$property` publishes. In an `ObservableObject`, a change still fires
/// `objectWillChange` before it is made, where that is an `ObservableObjectPublisher`, as it is by default; a class
/// whose properties all have this wrapper need not do anything for it.
///
/// ```swift
/// final class Weather: ObservableObject {
///   @PublishedAfterChange var temperature = 20.0
///   var report: String { "It is \(temperature) degrees" }
/// }
///
/// let weather = Weather()
/// let cancellable = weather.$temperature.sink { [unowned weather] _ in
///   print(weather.report)  // It is 20.0 degrees
/// }
/// weather.temperature = 25  // It is 25.0 degrees
/// ```
///
/// A property that cannot have the wrapper, because it is another module's `@Published`, can be observed on the actor
/// on which it is set: `$property.sink(isolation: #isolation)` delivers after the setter has returned.
///
/// A subscriber may set the property. The value is stored at once, and published when all subscribers have received the
/// previous one: each receives the changes in the order in which they were made, and the last one it receives is the
/// property's value.
///
/// - Thread: May be set from any thread, where the class allows it. What one thread sets while another delivers is
///   published by the other, after the setter has returned; values that are set faster than subscribers handle them are
///   buffered without limit.
@propertyWrapper
public struct PublishedAfterChange<Value> {
  let box: AfterChangeBox<Value>

  /// Makes a published property with a first value.
  public init(initialValue: Value) {
    box = AfterChangeBox(initialValue)
  }

  /// Makes a published property with a first value.
  public init(wrappedValue: Value) {
    self.init(initialValue: wrappedValue)
  }

  /// The publisher of the property's value and of each one to come.
  public var projectedValue: Publisher {
    get { Publisher(box: box) }
    nonmutating set { newValue.expect(box) }
  }

  /// A published property has to be a class's; a structure has no identity to publish for.
  @available(*, unavailable, message: "@PublishedAfterChange is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@PublishedAfterChange is only available on properties of classes") }
    nonmutating set { fatalError("@PublishedAfterChange is only available on properties of classes") }
  }

  /// The property's value, as a class's property reads and sets it.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, PublishedAfterChange<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].box.value }
    set { object[keyPath: storageKeyPath].box.set(newValue, of: object) }
  }

  /// The property's publisher, as a class's property gives it.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    projected projectedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Publisher>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, PublishedAfterChange<Value>>
  ) -> Publisher {
    get {
      let box = object[keyPath: storageKeyPath].box
      box.belongs(to: object)
      return Publisher(box: box)
    }
    // For `assign(to: &$property)`, which has told the property what to do already.
    set { newValue.expect(object[keyPath: storageKeyPath].box) }
  }

  /// A publisher of a property's value: of the one it has at a subscriber's first request, and of each one after it
  /// has been set.
  ///
  /// - Demand: A subscriber without demand misses values, and receives the latest with its next request.
  ///
  /// It neither finishes nor fails, and does not keep the property's object alive.
  public struct Publisher: Combine.Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Value
    /// A property cannot fail.
    public typealias Failure = Never

    let box: AfterChangeBox<Value>

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      box.published.receive(subscriber: subscriber)
    }

    func expect(_ box: AfterChangeBox<Value>) {
      precondition(
        self.box === box, "a published property's publisher cannot be replaced; use assign(to:) or set the property")
    }
  }
}

// The box's lock guards every mutable state.
extension PublishedAfterChange: @unchecked Sendable where Value: Sendable {}
extension PublishedAfterChange.Publisher: @unchecked Sendable where Value: Sendable {}

extension Publisher where Failure == Never {
  /// Sets a property that publishes after its change to each value.
  ///
  /// The subscription lasts until this publisher completes or the property's object goes away. It keeps neither alive.
  ///
  /// - Demand: Without limit.
  ///
  /// ```swift
  /// final class Clock {
  ///   @PublishedAfterChange var ticks = 0
  ///   init() { [1, 2, 3].publisher.assign(to: &$ticks) }
  /// }
  /// ```
  public func assign(to published: inout PublishedAfterChange<Output>.Publisher) {
    published.box.follow(self)
  }
}
