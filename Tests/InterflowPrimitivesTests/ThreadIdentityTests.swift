import Foundation
import InterflowPrimitives
import Testing

@Suite("Thread identity")
struct ThreadIdentityTests {
  @Test func isTheSameEachTimeOnOneThread() {
    #expect(currentThreadIdentity() == currentThreadIdentity())
  }

  @Test func differsAmongThreadsThatLiveAtOnceAndLeavesTwoBitsClear() {
    final class Seen: @unchecked Sendable {  // `lock` guards `identities`.
      let lock = NSLock()
      var identities: [UInt] = []
    }
    let seen = Seen()
    let recorded = DispatchGroup()
    let mayEnd = DispatchSemaphore(value: 0)
    let ended = DispatchGroup()
    for _ in 0..<16 {
      recorded.enter()
      ended.enter()
      Thread {
        let identity = currentThreadIdentity()
        seen.lock.withLock { seen.identities.append(identity) }
        recorded.leave()
        mayEnd.wait()
        ended.leave()
      }.start()
    }
    recorded.wait()
    for _ in 0..<16 { mayEnd.signal() }
    ended.wait()
    #expect(Set(seen.identities).count == 16)
    #expect(seen.identities.allSatisfy { $0 != 0 && $0 & 3 == 0 })
  }
}
