import Interflow

/// The values of a stream that are not acknowledged yet, for a loop, each acknowledged when the loop takes the next.
///
/// Each iterator is a consumer of its own; all of one durable share the values.
///
/// - Demand: `prefetch` values are fetched when all fetched before have been taken, and none before the first `next()`.
/// - Failure: A ``NATSError``, where the durable cannot be made, is deleted, or the connection is closed. Interruptions
///   of the connection are none.
/// - Cancellation: Releasing the iterator, as `break` does, and cancelling the task end the consumer. What has been
///   fetched and not acknowledged goes back, with the value that the loop had taken last.
public struct NATSStreamValues<Element: Sendable>: AsyncSequence {
  /// An error of the connection or the stream.
  public typealias Failure = NATSError

  let messages: AsyncValues<NATSMessagePublisher<Element>>

  /// Begins to consume.
  public func makeAsyncIterator() -> Iterator {
    Iterator(messages: messages.makeAsyncIterator())
  }

  /// A consumer.
  public struct Iterator: AsyncIteratorProtocol {
    var messages: AsyncValues<NATSMessagePublisher<Element>>.Iterator
    var taken: NATSMessage<Element>?

    /// Acknowledges the value before, and waits for the next. In a task that is cancelled, the value before goes back, and
    /// `nil` is returned.
    public nonisolated(nonsending) mutating func next() async throws(NATSError) -> Element? {
      try await next(isolation: #isolation)
    }

    /// Acknowledges the value before, and waits for the next, on the caller's isolation. In a task that is cancelled, the
    /// value before goes back, and `nil` is returned.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(NATSError) -> Element? {
      // The loop may have given the value up because it is cancelled.
      if !Task.isCancelled { taken?.ack() }
      taken = nil
      taken = try await messages.next(isolation: actor)
      return taken?.value
    }
  }
}

extension NATSStream {
  /// The values that a durable consumer has not acknowledged, for a loop, each acknowledged when the loop takes the
  /// next.
  ///
  /// ```swift
  /// for try await order in orders.values(durable: "billing") { bill(order) }
  /// ```
  ///
  /// - Parameters:
  ///   - durable: The consumer's name. All that use it, in any process, share the values.
  ///   - settings: Where the consumer begins, and what happens with values that are not acknowledged.
  ///   - prefetch: How many values to fetch at a time. One at a time waits for the server before each value, and is what
  ///     ``NATSConsumerSettings/maxDeliveries`` requires. Fewer than one is a programming error and traps.
  public func values(
    durable: String, settings: NATSConsumerSettings = NATSConsumerSettings(), prefetch: Int = 1
  ) -> NATSStreamValues<Output> {
    precondition(prefetch > 0, "at least one value must be fetched, but prefetch was \(prefetch)")
    return NATSStreamValues(
      messages: AsyncValues(
        NATSMessagePublisher(stream: self, durable: durable, settings: settings, returnsWhenReleased: true),
        prefetch: settings.maxDeliveries == nil ? prefetch : 1))
  }
}
