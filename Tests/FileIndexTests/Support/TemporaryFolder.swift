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

  /// A file that was changed long before now, at another time for each age.
  func addFile(_ name: String, _ text: String, age: Int) throws {
    try addFile(name, text)
    let time = timespec(tv_sec: 1_000_000_000 - age, tv_nsec: 123_456_789)
    try expectZero(utimensat(AT_FDCWD, location(name), [time, time], 0))
  }

  /// A file of zeros that takes no room and no time to make.
  func addSparseFile(_ name: String, size: Int) throws {
    try addFile(name)
    try expectZero(truncate(location(name), size))
  }

  /// Gives each of two files the other's name.
  func exchange(_ first: String, _ second: String) throws {
    try expectZero(rename(location(first), location("exchanged")))
    try expectZero(rename(location(second), location(first)))
    try expectZero(rename(location("exchanged"), location(second)))
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: location(name)) }

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
