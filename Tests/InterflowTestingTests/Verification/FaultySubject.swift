import Foundation
import InterflowTesting

/// A subject in which a thread that sends waits for its turn, or one with a fault in what becomes of the value.
final class FaultySubject: Publisher, @unchecked Sendable {  // `lock` guards everything mutable.
  typealias Output = Int
  typealias Failure = Broken

  /// What becomes of a value that is sent while another thread delivers.
  enum Fault {
    case isLeftToTheDeliveringThread
    case comesAtOnce
    case isLost
    case neverReturns
  }

  private let fault: Fault?
  private let lock = NSLock()
  private let turn = NSRecursiveLock()
  private var subscribers: [AnySubscriber<Int, Broken>] = []
  private var left: [Int] = []
  private var isDelivering = false

  init(_ fault: Fault?) {
    self.fault = fault
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Broken {
    lock.withLock { subscribers.append(AnySubscriber(subscriber)) }
    subscriber.receive(subscription: Subscriptions.empty)
  }

  func send(_ value: Int) {
    switch fault {
    case nil: turn.withLock { deliver(value) }
    case .isLeftToTheDeliveringThread: leave(value)
    case .comesAtOnce: deliver(value)
    case .isLost, .neverReturns:
      if turn.try() {
        deliver(value)
        turn.unlock()
      } else if fault == .neverReturns {
        DispatchSemaphore(value: 0).wait()
      }
    }
  }

  private func deliver(_ value: Int) {
    let subscribers = lock.withLock { self.subscribers }
    for subscriber in subscribers { _ = subscriber.receive(value) }
  }

  private func leave(_ value: Int) {
    lock.lock()
    left.append(value)
    if isDelivering { return lock.unlock() }
    isDelivering = true
    while !left.isEmpty {
      let next = left.removeFirst()
      lock.unlock()
      deliver(next)
      lock.lock()
    }
    isDelivering = false
    lock.unlock()
  }
}
