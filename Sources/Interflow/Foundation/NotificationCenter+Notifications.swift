#if !canImport(Darwin)
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
    /// An iterator observes from when it is made, so that nothing is missed that is posted after `for await` has begun.
    /// To miss nothing that is posted before, take `publisher(for:object:)` with `asyncStream()`, which observes at once.
    ///
    /// - Parameters:
    ///   - name: The notifications' name.
    ///   - object: The object that posts them; any without one. The sequence keeps it alive.
    public func notifications(
      named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> Notifications {
      Notifications(center: self, name: name, object: object)
    }

    /// The notifications of a name, as an asynchronous sequence that ends with the task that iterates.
    ///
    /// Each iterator gets all notifications from when it was made, in the order in which they were posted, and keeps
    /// without limit what is not taken yet. It stops observing when it is dropped and when its task is cancelled.
    ///
    /// - Thread: A notification crosses from the thread that posts it to the task that takes it, and is not `Sendable`:
    ///   who posts something mutable along with it sees to it that both may use it.
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

      /// Begins to observe.
      public func makeAsyncIterator() -> Iterator {
        Iterator(center.publisher(for: name, object: object).asyncStream().makeAsyncIterator())
      }

      /// Takes notifications from those that have been posted since it was made.
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
