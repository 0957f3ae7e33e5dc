/// Why a channel did not take an element.
public enum AsyncBoundedChannelError: Error, Hashable, Sendable {
  /// The channel had been finished before.
  case finished
  /// The consumer has left: it was cancelled, or it has been released.
  case noConsumer
}

/// An asynchronous sequence for one consumer, into which many producers send, and which makes them wait when it is full.
///
/// `makeChannel(of:throwing:lowWatermark:highWatermark:)` makes a channel and the source that sends into it.
///
/// ```swift
/// let (channel, source) = AsyncBoundedChannel<Int, Never>.makeChannel(lowWatermark: 2, highWatermark: 8)
/// let producer = Task {
///   for number in 1...100 { try await source.send(number) }
///   source.finish()
/// }
/// for await number in channel {
///   print(number)
/// }
/// try await producer.value
/// ```
///
/// When as many elements are buffered as the high watermark says, producers wait with their elements, until no more are
/// buffered than the low watermark says. Then those that have waited longest go on first. So producers and the consumer
/// change turns once for many elements, and the buffer never exceeds the high watermark. Elements are delivered in the
/// order in which they were sent.
///
/// Every `send(_:)` either puts its element into the buffer or throws. The elements of producers that wait when the
/// channel is finished are delivered before the end. What is in the buffer when the consumer leaves is dropped.
///
/// - Cancellation: Cancelling the task that waits for an element ends the channel: the iteration ends with `nil`, and
///   producers get ``AsyncBoundedChannelError/noConsumer``. So does the release of the channel and its iterators. Iterators
///   take from one buffer: one that is released before the channel ends nothing, and another one goes on after it.
public struct AsyncBoundedChannel<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  private let consumer: Consumer

  /// Makes a channel, and a source that sends into it.
  ///
  /// - Parameters:
  ///   - elementType: The type of the elements.
  ///   - failureType: The type of the failure.
  ///   - lowWatermark: Producers that wait go on when no more elements are buffered than this. Less than the high one.
  ///   - highWatermark: Producers wait when so many elements are buffered.
  public static func makeChannel(
    of elementType: Element.Type = Element.self, throwing failureType: Failure.Type = Failure.self,
    lowWatermark: Int, highWatermark: Int
  ) -> (channel: AsyncBoundedChannel<Element, Failure>, source: Source) {
    precondition(
      0 <= lowWatermark && lowWatermark < highWatermark,
      "the low watermark \(lowWatermark) must be at least 0 and less than the high one \(highWatermark)")
    let storage = BoundedChannelStorage<Element, Failure>(
      BoundedChannelStateMachine(lowWatermark: lowWatermark, highWatermark: highWatermark))
    return (AsyncBoundedChannel(consumer: Consumer(storage)), Source(token: Source.Token(storage)))
  }

  /// What the channel and its iterators reference. Its release means that there is no consumer any more.
  fileprivate final class Consumer: Sendable {
    let storage: BoundedChannelStorage<Element, Failure>

    init(_ storage: BoundedChannelStorage<Element, Failure>) {
      self.storage = storage
    }

    deinit {
      storage.abandon()
    }
  }

  /// Sends into a channel. Any number of copies may be used in any number of tasks; the channel is finished when the last
  /// one is released.
  public struct Source: Sendable {
    fileprivate let token: Token

    fileprivate final class Token: Sendable {
      let storage: BoundedChannelStorage<Element, Failure>

      init(_ storage: BoundedChannelStorage<Element, Failure>) {
        self.storage = storage
      }

      deinit {
        storage.finish(nil)
      }
    }

    /// Sends an element, and waits while the channel is full. On the caller's isolation.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the channel has taken the element, which is not
    ///   delivered then; ``AsyncBoundedChannelError`` if the channel has been finished, or has no consumer any more.
    public nonisolated(nonsending) func send(_ element: Element) async throws {
      if try token.storage.send(element) { return }
      try await token.storage.sendWaiting(element, isolation: #isolation)
    }

    /// Ends the channel, for all copies of the source. Elements of producers that wait are delivered before.
    public func finish() {
      token.storage.finish(nil)
    }

    /// Ends the channel with a failure, for all copies of the source. Elements of producers that wait are delivered
    /// before.
    public func finish(throwing failure: Failure) {
      token.storage.finish(failure)
    }
  }

  /// Makes an iterator, which takes from the same buffer as all others.
  public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: consumer)
  }

  /// Delivers the elements. Only one `next()` of all iterators may be called at a time.
  public struct Iterator: _IsolatedIterator {
    fileprivate let consumer: Consumer

    /// The next element, on the caller's isolation; `nil` after the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      let storage = consumer.storage
      if Task.isCancelled { storage.abandon() }
      while true {
        if let element = storage.take() { return element }
        if try storage.takeEnd() { return nil }
        await storage.wait(isolation: actor)
      }
    }
  }
}

@available(*, unavailable)
extension AsyncBoundedChannel.Iterator: Sendable {}
