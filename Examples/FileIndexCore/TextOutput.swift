import Foundation

/// Text for standard output or standard error.
package struct TextOutput: Sendable {
  private let descriptor: Int32

  package static let standard = TextOutput(descriptor: STDOUT_FILENO)
  package static let errors = TextOutput(descriptor: STDERR_FILENO)

  /// Writes to an open file, which the caller closes.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Whether the output is a terminal.
  package var isTerminal: Bool {
    isatty(descriptor) == 1
  }

  /// Writes all of the text.
  package func write(_ text: String) throws(SystemError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        retrying { Foundation.write(descriptor, bytes.baseAddress, bytes.count) }
      }
      guard count >= 0 else { throw .last }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes a line, and ignores errors.
  package func say(_ line: String) {
    try? write(line + "\n")
  }
}
