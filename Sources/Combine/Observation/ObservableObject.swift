/// An object with a publisher that fires before the object changes.
///
/// A class that conforms has the publisher made for it: each of its `@Published` properties, its superclasses' and the
/// private ones too, fires it before changing.
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
  /// The kind of publisher that fires before the object changes.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// Fires before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// Fires before the object changes: always the same publisher for the same object.
  ///
  /// - Complexity: The properties of a class are looked up once. After that, O(1), or O(log n) among the live objects
  ///   without a `@Published` property.
  public var objectWillChange: ObservableObjectPublisher {
    PublishedFields.publisher(of: self)
  }
}

/// A publisher that an observable object fires before it changes.
///
/// - Demand: Once anything has been requested, every signal is delivered, however many were requested.
public final class ObservableObjectPublisher: Publisher {
  /// There is nothing to say but that there is a change.
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

  /// Says that the object is about to change. May be called from any thread.
  public func send() {
    subject.send()
  }
}

/// Requests without limit for any request.
private final class ObservableObjectLink: UpstreamLink {
  override func request(_ demand: Subscribers.Demand) {
    if demand != .none { super.request(.unlimited) }
  }
}

// The subject guards every mutable state.
extension ObservableObjectPublisher: @unchecked Sendable {}
