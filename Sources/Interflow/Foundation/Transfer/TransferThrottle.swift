#if !canImport(Darwin) && !os(Windows)
  import Dispatch
  import Foundation
  import InterflowPrimitives

  /// Keeps a session from bringing more than is taken.
  ///
  /// This Foundation knows no back-pressure: it reads from the connection as fast as it can, and a task that is suspended
  /// starts anew when it is resumed. But it announces each piece before it reads the next, and the announcement may wait.
  final class TransferThrottle: @unchecked Sendable {  // `lock` guards everything mutable.
    /// How many bytes may wait to be taken before the transfer does.
    static let limit = 1 << 20

    /// How many announcements may wait to be delivered.
    private static let queueLimit = 64

    /// How long an announcement waits at most. It is less than the time after which the transfer would be seen to have
    /// timed out, so that the only cause of that is the server: a consumer who pauses longer gets one piece more.
    private let patience: TimeInterval
    private let lock = Lock()
    private let passage = DispatchSemaphore(value: 0)
    private var waiting = 0
    private var queued = 0
    private var backlog = 0
    private var isHeld = false
    private var isOpen = false

    init(timeout: TimeInterval) {
      patience = max(0.1, min(timeout, 3_600) / 2)
    }

    /// Whether an announcement waits, and how many bytes do. For tests, which have no other way to see it.
    var state: (isWaiting: Bool, backlog: Int) {
      lock.lock()
      defer { lock.unlock() }
      return (waiting > 0, backlog)
    }

    /// Waits until another announcement may be made.
    func pass() {
      let deadline = DispatchTime.now() + patience
      var isInTime = true
      while true {
        lock.lock()
        let mustWait = !isOpen && (isHeld || backlog >= Self.limit || queued >= Self.queueLimit)
        guard mustWait, isInTime else { break }
        waiting += 1
        lock.unlock()
        isInTime = passage.wait(timeout: deadline) == .success
      }
      queued += 1
      lock.unlock()
    }

    /// An announcement has been delivered.
    func delivered() { change { queued -= 1 } }

    /// So many bytes wait to be taken.
    func brought(_ count: Int) { change { backlog += count } }

    /// So many bytes have been taken.
    func took(_ count: Int) { change { backlog -= count } }

    /// Lets nothing pass until `release()`.
    func hold() { change { isHeld = true } }

    /// Lets pass what `hold()` has held up.
    func release() { change { isHeld = false } }

    /// Lets everything pass from now on: nobody will take it.
    func open() { change { isOpen = true } }

    private func change(_ body: () -> Void) {
      lock.lock()
      body()
      let woken = waiting
      waiting = 0
      lock.unlock()
      for _ in 0..<woken { passage.signal() }
    }
  }

  /// The queue of a session whose announcements a throttle may keep waiting.
  final class ThrottledQueue: OperationQueue, @unchecked Sendable {  // Its one property is constant.
    private let throttle: TransferThrottle

    init(_ throttle: TransferThrottle) {
      self.throttle = throttle
      super.init()
      maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      throttle.pass()
      super.addOperation { [throttle] in
        block()
        throttle.delivered()
      }
    }
  }
#endif
