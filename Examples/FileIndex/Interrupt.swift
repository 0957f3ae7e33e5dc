import Dispatch
import FileIndexCore
import Foundation
import Synchronization

/// Ctrl-C: the first is delivered as an element, so that the work can be cancelled; the second ends the program at
/// once.
struct Interrupt {
  /// An element for the first interrupt, which is buffered.
  let first: AsyncStream<Void>

  private let source: any DispatchSourceSignal

  /// Makes the handler. When this returns, an interrupt no longer ends the program.
  init() async {
    // The source receives the signal although it is ignored. If it were not ignored, it would end the program.
    signal(SIGINT, SIG_IGN)
    let (first, continuation) = AsyncStream.makeStream(of: Void.self)
    let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: DispatchQueue(label: "file-index.interrupt"))
    let count = Count()
    source.setEventHandler {
      if count.value.add(1, ordering: .relaxed).oldValue > 0 { _exit(ExitCode.interrupted.rawValue) }
      continuation.yield()
    }
    await withCheckedContinuation { installed in
      source.setRegistrationHandler { installed.resume() }
      source.activate()
    }
    self.first = first
    self.source = source
  }

  private final class Count: Sendable {
    let value = Atomic<Int>(0)
  }
}
