import InterflowPrimitives

extension AsyncSequence where Self: Sendable {
  /// Calls closures with the elements and the end, in a task of its own.
  ///
  /// ```swift
  /// let sink = source.sink { completion in
  ///   print(completion)
  /// } receiveValue: { line in
  ///   await store(line)
  /// }
  /// ```
  ///
  /// The iterator is made before this function returns, so that no element of a subject is missed after it. The next
  /// element is requested when the closure has returned. See ``AsyncSink`` for how to cancel.
  ///
  /// - Parameters:
  ///   - priority: The task's priority.
  ///   - receiveCompletion: Called with the end; not if the iteration was cancelled.
  ///   - receiveValue: Called with each element.
  public func sink(
    priority: TaskPriority? = nil,
    receiveCompletion: @escaping @Sendable (AsyncCompletion<Failure>) async -> Void,
    receiveValue: @escaping @Sendable (Element) async -> Void
  ) -> AsyncSink {
    // Before the task, so that a subject has this consumer when the function returns.
    let base = IteratorTransfer(makeAsyncIterator())
    return AsyncSink(
      startTask(priority: priority) {
        var iterator = base.take()
        let completion: AsyncCompletion<Failure>
        do throws(Failure) {
          while let element = try await iterator.next(isolation: nil), !Task.isCancelled { await receiveValue(element) }
          completion = .finished
        } catch {
          completion = .failure(error)
        }
        if !Task.isCancelled { await receiveCompletion(completion) }
      })
  }
}

extension AsyncSequence where Self: Sendable, Failure == Never {
  /// Calls a closure with the elements, in a task of its own.
  ///
  /// ```swift
  /// let sink = [1, 2].async.sink { print($0) }
  /// ```
  ///
  /// The iterator is made before this function returns, so that no element of a subject is missed after it. The next
  /// element is requested when the closure has returned. See ``AsyncSink`` for how to cancel.
  ///
  /// - Parameters:
  ///   - priority: The task's priority.
  ///   - receiveValue: Called with each element.
  public func sink(
    priority: TaskPriority? = nil, receiveValue: @escaping @Sendable (Element) async -> Void
  ) -> AsyncSink {
    sink(priority: priority, receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}

/// A handle to an iteration in a task, which it cancels when it is released.
///
/// ```swift
/// var sinks: Set<AsyncSink> = []
/// [1, 2].async.sink { print($0) }.store(in: &sinks)
/// ```
///
/// - Cancellation: The task is cancelled, and with it a closure that runs. Another closure is called only if that was
///   decided before, on the task's thread; after ``wait()``, none is.
public final class AsyncSink: Sendable, Hashable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) {
    self.task = task
  }

  deinit {
    task.cancel()
  }

  /// Cancels the iteration.
  public func cancel() {
    task.cancel()
  }

  /// Waits until the iteration has ended, and the last closure has returned.
  ///
  /// Cancelling the task that waits has no effect on either.
  public func wait() async {
    await task.value
  }

  /// Keeps this object in a set.
  public func store(in set: inout Set<AsyncSink>) {
    set.insert(self)
  }

  /// Keeps this object in a collection.
  public func store(in collection: inout some RangeReplaceableCollection<AsyncSink>) {
    collection.append(self)
  }

  /// Whether two are the same object.
  public static func == (first: AsyncSink, second: AsyncSink) -> Bool {
    first === second
  }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
