import Foundation

/// What happened, in order, from whichever thread.
final class Log: @unchecked Sendable {  // `lock` guards `storage`.
  private let lock = NSLock()
  private var storage: [String] = []

  func add(_ entry: String) { lock.withLock { storage.append(entry) } }

  var entries: [String] { lock.withLock { storage } }
}

actor Counter {
  private(set) var value = 0

  func increment() { value += 1 }
}

/// Counts visits, and those that begin while another has not ended.
final class Probe: @unchecked Sendable {  // `lock` guards the counts.
  private let lock = NSLock()
  private var inside = 0
  private var counts = (visits: 0, overlaps: 0)

  var visits: Int { lock.withLock { counts.visits } }
  var overlaps: Int { lock.withLock { counts.overlaps } }

  func visit() {
    lock.withLock {
      counts.visits += 1
      if inside > 0 { counts.overlaps += 1 }
      inside += 1
    }
    lock.withLock { inside -= 1 }
  }
}

/// Runs a closure on several threads of their own, and waits for all of them.
func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let done = DispatchGroup()
  for index in 0..<count {
    done.enter()
    Thread {
      body(index)
      done.leave()
    }.start()
  }
  done.wait()
}

struct SeededGenerator: RandomNumberGenerator {  // SplitMix64
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

struct TestError: Error, Hashable, CustomStringConvertible {
  var name = "test error"

  init(_ name: String = "test error") { self.name = name }

  var description: String { name }
}
