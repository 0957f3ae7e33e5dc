import Dispatch
import FileIndexCore
import Foundation
import Synchronization

/// Ctrl-C: the first is handed on, for the work to end in good order; the second ends the program where it stands.
final class Interrupt: Sendable {
  /// An element for the first interrupt, kept until somebody takes it.
  let first: AsyncStream<Void>

  private let continuation: AsyncStream<Void>.Continuation
  private let count = Atomic<Int>(0)
  private let source: any DispatchSourceSignal

  /// Returns when interrupts no longer end the program.
  init() async {
    // The source gets the signal although it is ignored; not ignored, it would end the program.
    signal(SIGINT, SIG_IGN)
    (first, continuation) = AsyncStream.makeStream()
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: DispatchQueue(label: "file-index.interrupt"))
    source.setEventHandler { [unowned self] in interrupted() }
    await withCheckedContinuation { installed in
      source.setRegistrationHandler { installed.resume() }
      source.activate()
    }
  }

  deinit {
    source.cancel()
  }

  private func interrupted() {
    if count.add(1, ordering: .relaxed).oldValue > 0 { _exit(ExitCode.interrupted.rawValue) }
    continuation.yield()
  }
}
