import Combine

/// A publisher of the results of an observed query, the current one first.
///
/// Each subscriber has the query run for itself; `share()` serves several with one.
///
/// - Demand: The query runs only while there is demand. A change without demand is remembered, and the query runs when
///   more is requested.
/// - Thread: Values are delivered on a few threads that all observations of the process share, one at a time, and never
///   on the main thread: code of the main actor uses ``ObservedQuery/sink(scheduling:isolation:receiveCompletion:receiveValue:)``
///   or ``ObservedQuery/assign(to:on:scheduling:isolation:receiveFailure:)``. The first value does not arrive before the
///   request returns, since a thread that requests must not wait for a file. A subscriber should not block: when as many
///   block as there are threads, which are six, the other observations wait.
/// - Cancellation: Ends a query that runs, at once.
///
/// It completes when the database is closed, and fails when the query does. What passes does not end it: if another
/// process holds a lock for longer than the busy timeout, or the process has no file descriptors left, the query runs
/// again later, at least every second, for as long as that lasts. A subscription keeps the database open until it ends.
public struct ObservedQueryPublisher<Value: Sendable>: Publisher, Sendable {
  /// The kind of values that the publisher delivers.
  public typealias Output = Value
  /// What SQLite reports, or what the query throws.
  public typealias Failure = DatabaseError

  let query: ObservedQuery<Value>

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == DatabaseError {
    let observation = QueryObservation(query, AnySubscriber(subscriber))
    subscriber.receive(subscription: QuerySubscription(observation))
    observation.open()
  }
}

/// The subscription that the subscriber retains. The database retains only the observation, so when the subscription is
/// released and nothing more can be requested, the observation ends.
private final class QuerySubscription<Value: Sendable>: Subscription, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  private let observation: QueryObservation<Value>

  init(_ observation: QueryObservation<Value>) {
    self.observation = observation
  }

  deinit {
    observation.abandon()
  }

  func request(_ demand: Subscribers.Demand) { observation.request(demand) }

  func cancel() { observation.cancel() }

  var description: String { "ObservedQuery" }
  var playgroundDescription: Any { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
