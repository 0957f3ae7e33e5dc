#if INTERFLOW_FOUNDATION
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
    ///   - object: The object that posts them; any if `nil`. The publisher retains it.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil)
      -> NotificationCenter.Publisher
    {
      Publisher(center: self, name: name, object: object)
    }

    /// A publisher of notifications. It observes the center for each subscriber, and never completes.
    ///
    /// - Demand: Notifications that are posted while a subscriber has no demand are dropped. A request for no values does
    ///   nothing.
    /// - Thread: A notification is delivered on the thread that posts it. Posting waits while another thread delivers to
    ///   the same subscriber.
    /// - Cancellation: Stops observing. A subscription that its subscriber has released observes until it is cancelled.
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
        // One subject for each subscriber: it counts demand, and delivers one at a time what several threads post.
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

  /// The subscription to a notification center: a ``UpstreamLink`` to the subscriber's own subject, which also stops
  /// observing when it is cancelled.
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

    // The center retains its observers, and with them the subject, the subscriber and this, until `cancel()`. There is a
    // token here only if the center has released the observer by itself, as a subclass may.
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

    /// Whether the center has an observer: for tests.
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
#endif
