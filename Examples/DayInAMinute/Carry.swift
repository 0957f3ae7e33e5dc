import Interflow

/// Sends a publisher's values over every bridge in turn: publisher, async, publisher, channel, async.
///
/// - Parameters:
///   - prefetch: How many values each of the three sequences requests at a time, and buffers at most.
///   - origin: Makes the publisher, in the task that iterates it.
///   - arrived: Called with each value at the end, in order.
nonisolated(nonsending) func carry<Origin: Publisher & SendableMetatype>(
  prefetch: Int, from origin: @escaping @Sendable () -> Origin, _ arrived: (Origin.Output) -> Void
) async where Origin.Failure == Never, Origin.Output: Sendable {
  let channel = AsyncChannel<Origin.Output, Never>()
  let sender = Task {
    let published = origin().asyncValues(prefetch: prefetch).publisher
    for await value in published.asyncValues(prefetch: prefetch) { try await channel.send(value) }
    channel.send(completion: .finished)
  }
  for await value in channel.asyncValues(prefetch: prefetch) { arrived(value) }
  sender.cancel()
  _ = await sender.result
}
