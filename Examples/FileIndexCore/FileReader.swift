import Foundation

/// Reads files in chunks and computes their entries in the index.
package struct FileReader: Sendable {
  /// The memory used for one file, whatever its size.
  static let chunkSize = 64 * 1024

  /// Finds what was computed from a file when it had the same stamp. It may block.
  package typealias KnownFiles = @Sendable (EntryPath, FileStamp) -> IndexedFile?

  private let root: EntryPath
  private let known: KnownFiles?
  private let executor = ReadingExecutor()

  /// Reads files whose paths are relative to `root`.
  ///
  /// - Parameter known: Finds the files that need not be read again. Where it is given, files have stamps.
  package init(root: EntryPath, known: KnownFiles? = nil) {
    self.root = root
    self.known = known
  }

  /// The outcome for an entry; reads it if it is a file.
  package func outcome(of entry: WalkedEntry) async -> Outcome {
    switch entry {
    case .file(let path):
      await withTaskExecutorPreference(executor) { await read(path) }
    case .unreadable(let failure):
      .failed(failure)
    case .skipped(let skipped):
      .skipped(skipped)
    }
  }

  private func read(_ path: EntryPath) async -> Outcome {
    do {
      return try index(path)
    } catch is CancellationError {
      return .failed(FailedEntry(path: path, reason: "reading was cancelled"))
    } catch {
      return .failed(FailedEntry(path: path, reason: "\(error)"))
    }
  }

  /// - Throws: `SystemError`, `Refusal` or, between two chunks of a cancelled task, `CancellationError`.
  private func index(_ path: EntryPath) throws -> Outcome {
    // Without blocking: a pipe may have replaced the file since it was listed.
    let file = try FileDescriptor(opening: root.appending(path), flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    let status = try file.status()
    if let reason = EntryKind(mode: status.st_mode).refusal { throw Refusal(description: reason) }

    var indexed = IndexedFile(path: path, bytes: 0, lines: 0, checksum: 0)
    if let known {
      let stamp = FileStamp(status)
      if let same = known(path, stamp) { return .unchanged(same) }
      if stamp.isReliable(at: FileStamp.now) { indexed.stamp = stamp }
    }
    var checksum = Checksum()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      try Task.checkCancellation()
      let count = try file.read(into: buffer)
      if count == 0 { break }
      let chunk = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      indexed.bytes += count
      indexed.lines += chunk.lineFeeds
      checksum.update(chunk)
    }
    indexed.checksum = checksum.value
    return .indexed(indexed)
  }

  private struct Refusal: Error, CustomStringConvertible {
    var description: String
  }
}

extension UnsafeRawBufferPointer {
  /// The number of line feeds in the buffer.
  fileprivate var lineFeeds: Int {
    var count = 0
    var rest = self[...]
    while let start = rest.baseAddress, let found = memchr(start, 0x0A, rest.count) {
      count += 1
      rest = rest[(rest.startIndex + (UnsafeRawPointer(found) - start) + 1)...]
    }
    return count
  }
}

extension Slice where Base == UnsafeRawBufferPointer {
  fileprivate var baseAddress: UnsafeRawPointer? {
    base.baseAddress.map { $0 + startIndex }
  }
}
