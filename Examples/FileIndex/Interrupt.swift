import Dispatch
import FileIndexCore
import Foundation
import Synchronization

/// Ctrl-C: the first is handed on, for the work to end in good order; the second ends the program where it stands.
struct Interrupt {
  /// An element for the first interrupt, kept until somebody takes it.
  let first: AsyncStream<Void>

  private let source: any DispatchSourceSignal

  /// Returns when interrupts no longer end the program.
  init() async {
    // The source gets the signal although it is ignored; not ignored, it would end the program.
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
