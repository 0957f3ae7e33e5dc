import Foundation

/// A pipe whose ends are closed by the test.
struct TestPipe: Sendable {
  private let pipe = Pipe()

  var reader: FileHandle { pipe.fileHandleForReading }

  func write(_ bytes: some Sequence<UInt8> & Sendable) throws {
    try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
  }

  func closeWriter() throws { try pipe.fileHandleForWriting.close() }
}

/// A file that is deleted with the object.
final class TestFile: Sendable {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("interflow-\(UUID().uuidString)")

  init(_ bytes: some Sequence<UInt8>) throws {
    try Data(bytes).write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// How many of this process's descriptors stand for the file.
  var openDescriptors: Int {
    get throws {
      let folder = "/proc/self/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .count { (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == url.path }
    }
  }
}
