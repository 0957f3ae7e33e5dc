import InterflowPrimitives
import Testing

@testable import Combine

@Suite("DemandLoop")
struct DemandLoopTests {
  /// The loop behind a reference, since expectations copy what they look at.
  final class LoopReference {
    private let loop = DemandLoop()
    var isCancelled: Bool { loop.isCancelled }
    func request(_ demand: Subscribers.Demand) -> Bool { loop.request(demand) }
    func takeBatch() -> UInt { loop.takeBatch() }
    func stop() -> Bool { loop.stop() }
    func cancel() -> Bool { loop.cancel() }
    func end() -> Bool { loop.end() }
  }

  @Test func theFirstRequestRunsAndOthersAddToIt() {
    let loop = LoopReference()
    #expect(loop.request(.max(2)))
    #expect(!loop.request(.max(3)))
    #expect(loop.takeBatch() == 5)
    #expect(loop.takeBatch() == 0)
    #expect(loop.stop())
    #expect(loop.request(.max(1)))
  }

  @Test func whoRunsMayNotStopWhileDemandIsLeft() {
    let loop = LoopReference()
    #expect(loop.request(.max(1)))
    #expect(loop.takeBatch() == 1)
    #expect(!loop.request(.max(1)))
    #expect(!loop.stop())
    #expect(loop.takeBatch() == 1)
    #expect(loop.stop())
  }

  @Test func whoRunsReleasesAfterACancellation() {
    let loop = LoopReference()
    #expect(loop.request(.max(1)))
    #expect(!loop.cancel())
    #expect(loop.isCancelled)
    #expect(!loop.stop())
    #expect(!loop.end())
    #expect(!loop.request(.max(1)))
  }

  @Test func whoCancelsReleasesWhenNobodyRuns() {
    let loop = LoopReference()
    #expect(loop.cancel())
    #expect(!loop.cancel())
    #expect(!loop.request(.unlimited))
  }

  @Test func theEndComesOnce() {
    let loop = LoopReference()
    #expect(loop.request(.unlimited))
    #expect(loop.end())
    #expect(!loop.end())
    #expect(!loop.cancel())
  }

  @Test func demandTooLargeToCountIsUnlimited() {
    let loop = LoopReference()
    #expect(loop.request(.max(.max)))
    #expect(!loop.request(.max(.max)))
    #expect(!loop.request(.unlimited))
    let batch = loop.takeBatch()
    #expect(batch == PackedDemand.unlimited)
  }
}
