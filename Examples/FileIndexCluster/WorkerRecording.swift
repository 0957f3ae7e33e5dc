import Foundation
import InterflowTracing
import Synchronization

/// Keeps what a worker records in a file, which is there also where the worker is killed.
final class WorkerRecording: Sendable {
  private let recorder: TraceRecorder
  private let file: URL
  /// Held while the file is written, so that the last one is the whole recording.
  private let hasEnded = Mutex(false)

  init(_ recorder: TraceRecorder, file: String) {
    self.recorder = recorder
    self.file = URL(fileURLWithPath: file)
    recorder.start()
  }

  /// Writes it again and again, for a tenth of the time at most, until the task is cancelled.
  func keep() async {
    while !Task.isCancelled {
      let start = ContinuousClock.now
      hasEnded.withLock { if !$0 { write() } }
      try? await Task.sleep(for: max(.milliseconds(100), start.duration(to: .now) * 9))
    }
  }

  /// Ends the recording, and writes it for the last time.
  func end() {
    recorder.stop()
    hasEnded.withLock {
      $0 = true
      write()
    }
  }

  private func write() { try? JSONEncoder().encode(recorder.recording()).write(to: file, options: .atomic) }
}
