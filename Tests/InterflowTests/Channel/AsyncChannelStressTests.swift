import Interflow
import InterflowTestSupport
import Testing

/// What has been sent, beside the cancellation of the subscriber that was to receive it.
@Suite struct AsyncChannelStressTests {
  @Test func valueGoesToTheNextSubscriberIfTheOnlyOneLeaves() async throws {
    for _ in 0..<stressRuns {
      let channel = AsyncChannel<Int, Never>()
      let (first, next) = (Recorder<Int, Never>(demand: .none), Recorder<Int, Never>())
      channel.subscribe(first)
      let sending = Task { try await channel.send(1) }
      await Task.yield()
      inParallel(2) { thread in
        if thread == 0 { first.request(.max(1)) } else { first.cancel() }
      }
      channel.subscribe(next)
      try await sending.value
      #expect(first.values + next.values == [1])
    }
  }

  @Test func cancelledLoopLosesNoValueThatWasSent() async throws {
    for round in 0..<stressRuns {
      let channel = AsyncChannel<Int, Never>()
      let loop = Task { await collect(channel.asyncValues).values }
      let sending = Task { try await channel.send(1) }
      for _ in 0..<round % 8 { await Task.yield() }
      loop.cancel()
      let received = await loop.value
      let next = Recorder<Int, Never>()
      channel.subscribe(next)
      try await sending.value
      #expect(received + next.values == [1])
    }
  }

  @Test func firstValueThatIsCancelledLosesNoValueThatWasSent() async throws {
    for round in 0..<stressRuns {
      let channel = AsyncChannel<Int, Never>()
      let first = Task { await channel.firstValue() }
      let sending = Task { try await channel.send(1) }
      for _ in 0..<round % 8 { await Task.yield() }
      first.cancel()
      let received = await first.value
      let next = Recorder<Int, Never>()
      channel.subscribe(next)
      try await sending.value
      #expect((received.map { [$0] } ?? []) + next.values == [1])
    }
  }

  @Test func sendCancelledWithTheSubscriberIsSentOrThrown() async {
    for _ in 0..<stressRuns {
      let channel = AsyncChannel<Int, Never>()
      let (first, next) = (Recorder<Int, Never>(demand: .none), Recorder<Int, Never>())
      channel.subscribe(first)
      let sending = Task { try await channel.send(1) }
      await Task.yield()
      inParallel(3) { thread in
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
        #expect(error is CancellationError)
        #expect(received == [])
      }
    }
  }
}
