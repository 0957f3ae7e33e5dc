import Interflow

/// Carries a publisher's values over every bridge in turn: publisher, async, publisher, channel, async.
///
/// - Parameters:
///   - prefetch: How many values each sequence asks for at a time; so many, three times, are on their way at most.
///   - origin: Makes the publisher, in the task that iterates it.
///   - arrived: Called with each value at the far end, in order.
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
