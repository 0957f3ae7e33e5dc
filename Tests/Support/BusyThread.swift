import Foundation
import Testing

/// Another thread that is kept inside a delivery for as long as the test wants.
package final class BusyThread: Sendable {
  private let entered = Latch()
  private let proceed = Latch()
  private let finished = Latch()

  package init() {}

  /// Runs a closure on the thread, and waits until that calls ``stay()`` from inside.
  package func start(sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void) {
    Thread {
      body()
      self.finished.open()
    }.start()
    entered.wait(sourceLocation: sourceLocation)
  }

  /// Keeps the thread until ``release()``.
  package func stay() {
    entered.open()
    proceed.wait()
  }

  /// Lets the thread go on, and waits until its closure has returned.
  @discardableResult
  package func release(sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    proceed.open()
    return finished.wait(sourceLocation: sourceLocation)
  }
}
