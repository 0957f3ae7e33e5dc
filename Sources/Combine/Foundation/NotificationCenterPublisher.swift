public import Foundation
import InterflowPrimitives

extension NotificationCenter {
  /// Makes a publisher of notifications.
  ///
  /// ```swift
  /// let renamed = Notification.Name("renamed")
  /// let cancellable = NotificationCenter.default.publisher(for: renamed)
  ///   .sink { print($0.name) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The notifications' name.
  ///   - object: The object that posts them; any without one. The publisher keeps it alive.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil)
    -> NotificationCenter.Publisher
  {
    Publisher(center: self, name: name, object: object)
  }

  /// A publisher of the notifications that are posted while there are subscribers.
  ///
  /// - Demand: A subscriber misses what is posted while it has requested nothing. A request for nothing is allowed.
  /// - Thread: Notifications are delivered where they are posted; one that is posted while another thread delivers waits
  ///   for its turn.
  /// - Cancellation: Stops observing.
  public struct Publisher: Combine.Publisher {
    /// A notification.
    public typealias Output = Notification
    /// Observing cannot fail.
    public typealias Failure = Never

    /// The notification center.
    public let center: NotificationCenter
    /// The notifications' name.
    public let name: Notification.Name
    /// The object that posts them, or `nil` for any.
    public let object: AnyObject?

    /// Makes a publisher of notifications.
    public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
      self.center = center
      self.name = name
      self.object = object
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Notification, S.Failure == Never {
      // A subject of its own for each subscriber: it keeps demand, and makes what several threads post serial.
      let subject = PassthroughSubject<Notification, Never>()
      let link = ObservationLink(center, name)
      let transfer = UncheckedTransfer(subject)
      link.observe(object) { transfer.value.send($0) }
      subject.subscribe(RelayStage(subscriber, link))
    }
  }
}

extension NotificationCenter.Publisher: Equatable {
  /// Whether both observe the same notifications of the same object at the same center.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
  }
}

/// A link that stops observing when it is cancelled.
final class ObservationLink: UpstreamLink {
  private let posted: Notification.Name

  // Guarded by `lock`: everything below it.
  private var center: NotificationCenter?
  private var token: (any NSObjectProtocol)?
  private var object: AnyObject?

  init(_ center: NotificationCenter, _ name: Notification.Name) {
    self.center = center
    posted = name
    super.init("NotificationCenter Observer", .ignoresEmptyRequests)
  }

  deinit {
    if let token { center?.removeObserver(token) }
  }

  func observe(_ object: AnyObject?, _ deliver: @escaping @Sendable (Notification) -> Void) {
    let token = center?.addObserver(forName: posted, object: object, queue: nil, using: deliver)
    lock.lock()
    self.token = token
    self.object = object
    lock.unlock()
  }

  /// Whether the center holds an observer. For tests, which have no other way to see it.
  var isObserving: Bool {
    lock.lock()
    defer { lock.unlock() }
    return token != nil
  }

  override func cancel() {
    lock.lock()
    let (center, token, object) = (self.center, self.token, self.object)
    self.center = nil
    self.token = nil
    self.object = nil
    lock.unlock()
    if let token { center?.removeObserver(token) }
    withExtendedLifetime((center, object)) { _ = sever() }
  }
}
