#if INTERFLOW_FOUNDATION && !canImport(Darwin)
  import Combine
  public import Foundation

  extension NotificationCenter {
    /// Makes an asynchronous sequence of the notifications that are posted while there are iterators.
    ///
    /// ```swift
    /// for await notification in NotificationCenter.default.notifications(named: renamed) {
    ///   print(notification.object ?? "nobody")
    /// }
    /// ```
    ///
    /// An iterator begins to observe when it is made, so a `for await` loop receives notifications posted after it has
    /// begun. To receive what is posted before, use `publisher(for:object:)` with `asyncStream()`, which observes at
    /// once.
    ///
    /// - Parameters:
    ///   - name: The notifications' name.
    ///   - object: The object that posts them; any if `nil`. The sequence retains it.
    public func notifications(
      named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> Notifications {
      Notifications(center: self, name: name, object: object)
    }

    /// The notifications of a name, as an asynchronous sequence that ends when its task is cancelled.
    ///
    /// Each iterator delivers all notifications that are posted after it was made, in order, and buffers them without
    /// limit. It stops observing when it is released and when its task is cancelled: at once while the task waits in
    /// `next()`, otherwise with its following `next()`. What is buffered then is dropped.
    ///
    /// - Thread: A notification is passed from the thread that posts it to the task that iterates, and is not
    ///   `Sendable`: mutable objects that are posted with it must be safe to use from both.
    public final class Notifications: AsyncSequence, Sendable {
      /// A notification.
      public typealias Element = Notification
      /// Observing cannot fail.
      public typealias Failure = Never
      /// The sequence's iterator.
      public typealias AsyncIterator = Iterator

      private let center: NotificationCenter
      private let name: Notification.Name
      private let object: (any AnyObject & Sendable)?

      fileprivate init(center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?) {
        self.center = center
        self.name = name
        self.object = object
      }

      /// Makes an iterator, which begins to observe.
      public func makeAsyncIterator() -> Iterator {
        Iterator(center.publisher(for: name, object: object).asyncStream().makeAsyncIterator())
      }

      /// Delivers the notifications that have been posted since it was made.
      public struct Iterator: AsyncIteratorProtocol {
        private var base: CombineAsyncStream<NotificationCenter.Publisher>.Iterator

        fileprivate init(_ base: CombineAsyncStream<NotificationCenter.Publisher>.Iterator) {
          self.base = base
        }

        /// The next notification; `nil` after the task has been cancelled.
        public nonisolated(nonsending) mutating func next() async -> Notification? {
          await base.next(isolation: #isolation)
        }

        /// The next notification, on the caller's isolation.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
          await base.next(isolation: actor)
        }
      }
    }
  }
#endif
