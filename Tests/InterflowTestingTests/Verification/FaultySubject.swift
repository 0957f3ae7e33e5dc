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
  private var inners: [Inner] = []
  private var left: [Int] = []
  private var isDelivering = false

  init(_ fault: Fault?) {
    self.fault = fault
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Broken {
    let inner = Inner(AnySubscriber(subscriber), self)
    lock.withLock { inners.append(inner) }
    subscriber.receive(subscription: inner)
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

  func underTest(count: Int) -> PublisherUnderTest {
    PublisherUnderTest(self) {
      for number in 0..<count { self.send(number) }
    } send: {
      self.send(0)
    }
  }

  private func deliver(_ value: Int) {
    let inners = lock.withLock { self.inners }
    for inner in inners { inner.receive(value) }
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

  /// Delivers everything, whatever has been requested.
  private final class Inner: Subscription, @unchecked Sendable {  // `lock` of the subject guards `downstream`.
    private let subject: FaultySubject
    private var downstream: AnySubscriber<Int, Broken>?

    init(_ downstream: AnySubscriber<Int, Broken>, _ subject: FaultySubject) {
      self.downstream = downstream
      self.subject = subject
    }

    func receive(_ value: Int) {
      let downstream = subject.lock.withLock { self.downstream }
      _ = downstream?.receive(value)
    }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() {
      let downstream = subject.lock.withLock {
        subject.inners.removeAll { $0 === self }
        return self.downstream.take()
      }
      withExtendedLifetime(downstream) {}
    }
  }
}
