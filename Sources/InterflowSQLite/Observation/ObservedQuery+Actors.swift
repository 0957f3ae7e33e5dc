import Combine
import Interflow
import InterflowPrimitives

/// When an observation delivers its first value on an actor.
public enum ObservedQueryScheduling: Sendable, Hashable {
  /// After the call has returned, when the query has run.
  case deferred
  /// Before the call returns: the calling thread waits for the query, so that a view has its content when it is shown
  /// first. On an actor other than the main one, that is usually a thread that tasks share. The observation begins by
  /// running the query once more.
  case immediate
}

extension ObservedQuery {
  /// Calls closures on the caller's actor with each result, the current one first, and with the completion.
  ///
  /// The closure of an ordinary `sink` of ``publisher`` runs on a thread of the database, also if it was written on the
  /// main actor. These run on the actor, so they may use its state:
  ///
  /// ```swift
  /// @MainActor
  /// final class PictureList {
  ///   private(set) var pictures: [Picture] = []
  ///   private(set) var error: DatabaseError?
  ///   private var cancellable: AnyCancellable?
  ///
  ///   init(_ database: Database) {
  ///     let query = database.observe { db in
  ///       try db.fetchAll(Picture.self, sql: "SELECT * FROM picture ORDER BY title")
  ///     }
  ///     cancellable = query.sink(scheduling: .immediate) { [weak self] completion in
  ///       if case .failure(let error) = completion { self?.error = error }
  ///     } receiveValue: { [weak self] pictures in
  ///       self?.pictures = pictures
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// Results that are out of date when the actor has time are left out; the newest always arrives.
  ///
  /// With ``ObservedQueryScheduling/immediate``, the first result is delivered before this returns, by the calling
  /// thread, which must be the actor's. It is read like any read that somebody waits for, so it does not wait for other
  /// observations. If that read fails, the completion is delivered before this returns. Inside a write of the database,
  /// whose changes may still be rolled back, it fails with an error of the kind
  /// ``DatabaseError/Kind-swift.enum/misuse``.
  ///
  /// - Parameters:
  ///   - scheduling: When the first result is delivered.
  ///   - isolation: The actor. It is retained until the observation ends.
  ///   - receiveCompletion: Called on the actor when the database has been closed, or the query has failed.
  ///   - receiveValue: Called on the actor with each result.
  /// - Returns: A cancellable that ends the observation, also when it is deallocated. When it is cancelled on the actor,
  ///   nothing is delivered afterwards.
  public func sink(
    scheduling: ObservedQueryScheduling = .deferred, isolation: isolated any Actor = #isolation,
    receiveCompletion: @escaping (Subscribers.Completion<DatabaseError>) -> Void,
    receiveValue: @escaping (Value) -> Void
  ) -> AnyCancellable {
    var first: Value?
    if scheduling == .immediate {
      do throws(DatabaseError) {
        let value = try readNow()
        receiveValue(value)
        first = value
      } catch {
        // What passes does not end an observation.
        if !error.isTransient {
          receiveCompletion(.failure(error))
          return AnyCancellable {}
        }
      }
    }
    let delivered = first
    let task = Task {
      _ = isolation  // A closure inherits the isolation only if it captures it.
      await follow(delivered, isolation: isolation, receiveCompletion, receiveValue)
    }
    return AnyCancellable { task.cancel() }
  }

  /// Sets a property on the caller's actor to each result, the current one first.
  ///
  /// ```swift
  /// cancellable = query.assign(to: \.pictures, on: list) { print($0) }
  /// ```
  ///
  /// Other than Combine's `assign(to:on:)`, this does not retain the object. When it has been deallocated, nothing more
  /// is set, until the cancellable ends the observation.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - object: The object that has it.
  ///   - scheduling: When the first result is delivered.
  ///   - isolation: The actor. It is retained until the observation ends.
  ///   - receiveFailure: Called on the actor if the query fails, which ends the observation.
  /// - Returns: A cancellable that ends the observation, also when it is deallocated.
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Value>, on object: Root,
    scheduling: ObservedQueryScheduling = .deferred, isolation: isolated any Actor = #isolation,
    receiveFailure: @escaping (DatabaseError) -> Void
  ) -> AnyCancellable {
    sink(scheduling: scheduling, isolation: isolation) { completion in
      if case .failure(let error) = completion { receiveFailure(error) }
    } receiveValue: { [weak object] value in
      object?[keyPath: keyPath] = value
    }
  }

  /// Delivers results until the task is cancelled.
  ///
  /// - Parameter first: What has been delivered already.
  private func follow(
    _ first: Value?, isolation: isolated any Actor,
    _ receiveCompletion: (Subscribers.Completion<DatabaseError>) -> Void, _ receiveValue: (Value) -> Void
  ) async {
    var before = first
    do throws(DatabaseError) {
      for try await value in values {
        // It may have been cancelled on the actor while the value was on its way.
        if Task.isCancelled { return }
        if let before = before.take(), isDuplicate?(before, value) == true { continue }
        receiveValue(value)
      }
      if !Task.isCancelled { receiveCompletion(.finished) }
    } catch {
      if !Task.isCancelled { receiveCompletion(.failure(error)) }
    }
  }

  /// The current result, for which the thread waits.
  private func readNow() throws(DatabaseError) -> Value {
    guard !database.isWrittenByCurrentThread else {
      throw .misuse(
        """
        an observation that delivers at once is begun inside a write: what it would deliver may never be committed. \
        Begin it after the write, or with the scheduling `deferred`
        """)
    }
    do {
      return try database.readBlocking(body)
    } catch {
      throw DatabaseError(ofQuery: error)
    }
  }
}
