import Foundation

/// Says which runs a crash was in: a continuation that is resumed twice may stop the process, and nothing else would
/// tell the seed.
final class CrashNote: @unchecked Sendable {  // Each note is written by the one thread that has claimed it.
  private static let length = 128
  private static let count = 32

  /// Texts that end with a zero, for as long as the process lives: a handler of signals can read nothing else.
  nonisolated(unsafe) private static let texts: UnsafeMutablePointer<UInt8> = {  // Each part has one owner.
    let texts = UnsafeMutablePointer<UInt8>.allocate(capacity: length * count)
    texts.initialize(repeating: 0, count: length * count)
    for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] {
      sigaction(signal, &action, nil)
    }
    return texts
  }()

  nonisolated(unsafe) private static var action: sigaction = {  // Used once, while `texts` is made.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      for index in 0..<CrashNote.count {
        let text = CrashNote.texts + index * CrashNote.length
        var length = 0
        while text[length] != 0 { length += 1 }
        _ = write(STDERR_FILENO, text, length)
      }
    }
    // Once: what was to happen otherwise happens when the instruction is run again.
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    return action
  }()

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
