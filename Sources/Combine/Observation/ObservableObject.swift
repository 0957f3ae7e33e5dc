/// An object with a publisher that delivers a value before the object changes.
///
/// A class that conforms gets this publisher by default: each of its `@Published` properties, including private and
/// inherited ones, sends to it before changing.
///
/// ```swift
/// final class Contact: ObservableObject {
///   @Published var name = "Ann"
/// }
///
/// let contact = Contact()
/// let cancellable = contact.objectWillChange.sink { print("about to change") }
/// contact.name = "Bob"
/// ```
public protocol ObservableObject: AnyObject {
  /// The kind of publisher that delivers before the object changes.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// Delivers a value before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// Delivers a value before the object changes: always the same publisher for the same object.
  ///
  /// - Complexity: The properties of a class are looked up once. After that, O(1), or O(log n) among the live objects
  ///   without a `@Published` property.
  public var objectWillChange: ObservableObjectPublisher {
    PublishedFields.publisher(of: self)
  }
}

/// The publisher to which an observable object sends before it changes. It never completes.
///
/// - Demand: Any request counts as unlimited demand. Values sent before the first request are dropped.
public final class ObservableObjectPublisher: Publisher {
  /// Nothing but the fact that there is a change.
  public typealias Output = Void
  /// Changing cannot fail.
  public typealias Failure = Never

  private let subject = PassthroughSubject<Void, Never>()

  /// Makes a publisher.
  public init() {}

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    subject.subscribe(RelayStage(subscriber, ObservableObjectLink("ObservableObjectPublisher")))
  }

  /// Delivers a value to the subscribers, because the object is about to change. May be called from any thread.
  public func send() {
    subject.send()
  }
}

/// The subscription: an ``UpstreamLink`` to the subject, which turns any request into unlimited demand.
private final class ObservableObjectLink: UpstreamLink {
  override func request(_ demand: Subscribers.Demand) {
    if demand != .none { super.request(.unlimited) }
  }
}

// The subject guards every mutable state.
extension ObservableObjectPublisher: @unchecked Sendable {}
