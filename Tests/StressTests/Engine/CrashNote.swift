import Foundation
import InterflowTestSupport

/// Says which runs a crash was in: a continuation that is resumed twice may stop the process, and nothing else would
/// tell the seed.
final class CrashNote: Sendable {
  private static let length = 128
  private static let count = 32

  /// Texts that end with a zero, for as long as the process lives: a handler of signals can read nothing else.
  nonisolated(unsafe) private static let texts: UnsafeMutablePointer<UInt8> = {  // Each part has one writer.
    let texts = UnsafeMutablePointer<UInt8>.allocate(capacity: length * count)
    texts.initialize(repeating: 0, count: length * count)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] {
      signal(number) { number in
        CrashNote.writeAll()
        // What was to happen otherwise happens when the instruction is run again.
        signal(number, SIG_DFL)
      }
    }
    return texts
  }()

  private static func writeAll() {
    for index in 0..<count {
      let text = texts + index * length
      var end = 0
      while text[end] != 0 { end += 1 }
      if end > 0 { _ = write(STDERR_FILENO, text, end) }
    }
  }

  private static let free = Shared(Array(0..<count))

  private let index: Int?

  init() {
    index = Self.free.update { $0.popLast() }
  }

  deinit {
    guard let index else { return }
    Self.texts[index * Self.length] = 0
    Self.free.update { $0.append(index) }
  }

  func set(_ text: String) {
    guard let index else { return }
    let note = Self.texts + index * Self.length
    note.pointee = 0
    var end = 1
    for byte in text.utf8.dropFirst().prefix(Self.length - 3) {
      note[end] = byte
      end += 1
    }
    note[end] = 10
    note[end + 1] = 0
    note.pointee = text.utf8.first ?? 0
  }
}
