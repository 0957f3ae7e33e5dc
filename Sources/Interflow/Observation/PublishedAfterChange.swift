import Combine

/// A property of a class that publishes each new value after it has been set.
///
/// `@Published` publishes before: a subscriber that reads the property gets the previous value. With this wrapper the
/// property already has the value that `$property` publishes. In an `ObservableObject`, setting the property still
/// sends to `objectWillChange` first, if that is an `ObservableObjectPublisher`, as it is by default.
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
/// previous one. So each subscriber receives the changes in the order in which they were made, and the last value that
/// it receives is the property's. Until then the property has a newer value than the one that is being published.
///
/// - Thread: May be set from any thread, if the class allows it. A value that is set while another thread publishes is
///   published by that thread, after the setter has returned; such values are buffered without limit.
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

  /// The publisher of the property's current value and of each new one.
  public var projectedValue: Publisher {
    get { Publisher(box) }
    nonmutating set { newValue.requireSame(box) }
  }

  /// Not available: only a property of a class can be published.
  @available(*, unavailable, message: "@PublishedAfterChange is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@PublishedAfterChange is only available on properties of classes") }
    nonmutating set { fatalError("@PublishedAfterChange is only available on properties of classes") }
  }

  /// The access to the property's value from the enclosing object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, PublishedAfterChange<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].box.value }
    set { object[keyPath: storageKeyPath].box.set(newValue, of: object) }
  }

  /// The access to the property's publisher from the enclosing object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    projected projectedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Publisher>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, PublishedAfterChange<Value>>
  ) -> Publisher {
    get {
      let box = object[keyPath: storageKeyPath].box
      box.setObject(object)
      return Publisher(box)
    }
    // For `assign(to: &$property)`, which has subscribed the property already.
    set { newValue.requireSame(object[keyPath: storageKeyPath].box) }
  }

  /// A publisher of a property's value at a subscriber's first request, and of each new value after it has been set.
  ///
  /// While a value is being published, the first value is that one, and not yet one that has been set meanwhile, which
  /// follows. It never completes, and does not retain the property's object.
  ///
  /// - Demand: Values without demand are dropped, except for the latest, which is delivered with the next request.
  public struct Publisher: Combine.Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Value
    /// A property cannot fail.
    public typealias Failure = Never

    private let subject: CurrentValueSubject<Value, Never>
    /// Weakly, so that the values assigned to the property are cancelled with its object.
    weak let box: AfterChangeBox<Value>?

    init(_ box: AfterChangeBox<Value>) {
      subject = box.published
      self.box = box
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      subject.receive(subscriber: subscriber)
    }

    func requireSame(_ box: AfterChangeBox<Value>) {
      precondition(
        self.box === box, "a published property's publisher cannot be replaced; use assign(to:) or set the property")
    }
  }
}

// The box's lock guards every mutable state.
extension PublishedAfterChange: @unchecked Sendable where Value: Sendable {}
extension PublishedAfterChange.Publisher: @unchecked Sendable where Value: Sendable {}

extension Publisher where Failure == Never {
  /// Assigns each value to a property that publishes after its change.
  ///
  /// The subscription does not retain the property's object.
  ///
  /// - Demand: Requests unlimited demand.
  /// - Cancellation: The subscription is cancelled when the property's object is released, whoever holds `$property`.
  ///   After that, nothing is subscribed.
  ///
  /// ```swift
  /// final class Clock {
  ///   @PublishedAfterChange var ticks = 0
  ///   init() { [1, 2, 3].publisher.assign(to: &$ticks) }
  /// }
  /// ```
  public func assign(to published: inout PublishedAfterChange<Output>.Publisher) {
    published.box?.assignValues(of: self)
  }
}
