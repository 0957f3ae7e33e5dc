import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

/// What has been sent, beside the cancellation of the subscriber that was to receive it.
@Suite struct AsyncChannelStressTests {
  /// - Parameter cancelsSend: Whether the task that sends is cancelled at the same time.
  @Test(arguments: [false, true])
  func valueGoesToTheNextSubscriberIfTheOnlyOneLeaves(cancelsSend: Bool) async {
    for _ in 0..<stressRuns {
      let channel = AsyncChannel<Int, Never>()
      let (first, next) = (RecordingSubscriber<Int, Never>(initialDemand: .none), RecordingSubscriber<Int, Never>())
      channel.subscribe(first)
      let sending = Task { try await channel.send(1) }
      await Task.yield()
      inParallel(cancelsSend ? 3 : 2) { thread in
        switch thread {
        case 0: first.request(.max(1))
        case 1: first.cancel()
        default: sending.cancel()
        }
      }
      channel.subscribe(next)
      let result = await sending.result
      let received = first.values + next.values
      switch result {
      case .success: #expect(received == [1])
      case .failure(let error):
        #expect(cancelsSend && error is CancellationError)
        #expect(received == [])
      }
    }
  }

  /// Cancels a task that waits for a value, and expects that it or the next subscriber receives what is sent.
  private func expectNothingIsLost(
    _ wait: @escaping @Sendable (AsyncChannel<Int, Never>) async -> [Int]
  ) async throws {
    for round in 0..<stressRuns {
      let channel = AsyncChannel<Int, Never>()
      let waiting = Task { await wait(channel) }
      let sending = Task { try await channel.send(1) }
      for _ in 0..<round % 8 { await Task.yield() }
      waiting.cancel()
      let received = await waiting.value
      let next = RecordingSubscriber<Int, Never>()
      channel.subscribe(next)
      try await sending.value
      #expect(received + next.values == [1])
    }
  }

  @Test func cancelledLoopLosesNoValueThatWasSent() async throws {
    try await expectNothingIsLost { await collect($0.asyncValues).values }
  }

  @Test func firstValueThatIsCancelledLosesNoValueThatWasSent() async throws {
    try await expectNothingIsLost { channel in await channel.firstValue().map { [$0] } ?? [] }
  }
}
