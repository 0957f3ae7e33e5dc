import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct BreakpointTests {
  private typealias Source = TestPublisher<Int, TestError>

  @Test func everythingPassesWhileNobodyAsksToStop() {
    let source = Source(keepsSubscribers: true)
    var asked: [String] = []
    let recorder = source.breakpoint(
      receiveSubscription: {
        asked.append("\($0)")
        return false
      },
      receiveOutput: {
        asked.append("\($0)")
        return false
      },
      receiveCompletion: {
        asked.append("\($0)")
        return false
      }
    )
    .recorded(demand: .max(1))
    source.send(1)
    source.send(completion: .failure(TestError()))
    #expect(asked == ["TestSubscription", "1", "failure(test error)"])
    #expect(recorder.log == ["1", "test error"])
    #expect(recorder.subscriptionNames == ["TestSubscription"])
    #expect(source.requests == [.max(1)])
    recorder.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func withoutClosuresNothingStops() {
    #expect(Just(1).breakpoint().recorded().log == ["1", "finished"])
    #expect(Just(1).breakpointOnError().recorded().log == ["1", "finished"])
  }

  @Test func stopsAtTheSubscription() async {
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = Just(1).breakpoint(receiveSubscription: { _ in true }).sink { _ in }
    }
  }

  @Test func stopsAtAValue() async {
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = [1, 2].publisher.breakpoint(receiveOutput: { $0 == 2 }).sink { _ in }
    }
  }

  @Test func stopsAtTheCompletion() async {
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = Just(1).breakpoint(receiveCompletion: { _ in true }).sink { _ in }
    }
  }

  @Test func stopsAtAnError() async {
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = Fail<Int, TestError>(error: TestError()).breakpointOnError().sink { _ in
      } receiveValue: { _ in
      }
    }
  }
}
