import FileIndexCore
import Foundation

/// A file to be read by a worker, which has the same folder.
struct FileJob: Codable, Sendable, Hashable {
  /// Relative to the folder, as the file system stores it.
  var path: Data

  init(_ path: EntryPath) {
    self.path = Data(path.bytes)
  }

  var entry: WalkedEntry { .file(EntryPath(bytes: Array(path))) }

  var name: String { EntryPath(bytes: Array(path)).name }
}

/// What a worker has found out about a file.
struct FileResult: Codable, Sendable {
  private enum Content: Codable {
    case indexed(bytes: Int, lines: Int, checksum: UInt32)
    case failed(String)
  }

  private var path: Data
  private var content: Content
  /// The process that has read the file.
  let worker: Int32

  init(_ job: FileJob, _ outcome: Outcome) {
    path = job.path
    worker = ProcessInfo.processInfo.processIdentifier
    content =
      switch outcome {
      case .indexed(let file), .unchanged(let file):
        .indexed(bytes: file.bytes, lines: file.lines, checksum: file.checksum)
      case .failed(let failure): .failed(failure.reason)
      case .skipped(let skipped): .failed(skipped.rule.rawValue)
      }
  }

  var name: String { EntryPath(bytes: Array(path)).name }

  var outcome: Outcome {
    let path = EntryPath(bytes: Array(path))
    return switch content {
    case .indexed(let bytes, let lines, let checksum):
      .indexed(IndexedFile(path: path, bytes: bytes, lines: lines, checksum: checksum))
    case .failed(let reason): .failed(FailedEntry(path: path, reason: reason))
    }
  }
}
