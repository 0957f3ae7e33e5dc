import InterflowPrimitives

/// How long the checks of a publisher wait: as long as the options say, until something did not come in time, and then
/// only shortly.
final class WaitLimit: @unchecked Sendable {  // `lock` guards the variables.
  /// How long a wait lasts once another has timed out. A publisher that loses one signal often loses one in every check.
  private static let short = Duration.seconds(2)

  /// How many waits may time out, so that the checks of a publisher that never answers end.
  static let allowedMisses = 12

  private let full: Duration
  private let lock = Lock()
  private var misses = 0
  /// The longest wait that did not time out: how slow the publisher is without being wrong.
  private var longest = Duration.zero

  init(_ full: Duration) {
    self.full = full
  }

  /// How long a wait that begins now lasts at most.
  var duration: Duration {
    lock.lock()
    defer { lock.unlock() }
    return misses > 0 ? min(full, max(Self.short, longest * 4)) : full
  }

  /// Whether there is no use in further checks.
  var isExhausted: Bool {
    lock.lock()
    defer { lock.unlock() }
    return misses >= Self.allowedMisses
  }

  /// What was waited for came.
  func answered(after duration: Duration) {
    lock.lock()
    longest = max(longest, duration)
    lock.unlock()
  }

  /// What was waited for did not come.
  func missed() {
    lock.lock()
    misses += 1
    lock.unlock()
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
