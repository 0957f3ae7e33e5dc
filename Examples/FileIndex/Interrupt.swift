import Dispatch
import FileIndexCore
import Foundation

/// Ctrl-C: the first cancels the work, which then reports what it has; the second ends the program where it stands.
struct Interrupt {
  private let source: any DispatchSourceSignal

  init(cancelling work: Task<ExitCode, Never>) {
    // The source gets the signal also where it is ignored; not ignored, it would end the program first.
    signal(SIGINT, SIG_IGN)
    let queue = DispatchQueue(label: "file-index.interrupt")
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
    source.setEventHandler {
      if work.isCancelled { _exit(ExitCode.interrupted.rawValue) }
      work.cancel()
    }
    source.activate()
  }

  func end() {
    source.cancel()
  }
}
