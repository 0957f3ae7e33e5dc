import FileIndexCore
import Foundation

/// A folder that is removed, with everything in it, when the last reference to it goes.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("file-index-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  var path: EntryPath { EntryPath(url.path) }

  func location(_ name: String) -> String {
    url.appendingPathComponent(name).path
  }

  func addFile(_ name: String, _ text: String = "") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: location(name)))
  }

  /// A file of zeros that takes no room and no time to make.
  func addSparseFile(_ name: String, size: Int) throws {
    try addFile(name)
    try expectZero(truncate(location(name), size))
  }

  func addFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: location(name), withIntermediateDirectories: true)
  }

  func addLink(_ name: String, to destination: String) throws {
    try expectZero(symlink(destination, location(name)))
  }

  func addPipe(_ name: String) throws {
    try expectZero(mkfifo(location(name), 0o600))
  }

  private func expectZero(_ result: Int32) throws {
    if result != 0 { throw SystemError.last }
  }
}
