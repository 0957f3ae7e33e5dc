import Foundation

/// A program that a test runs to its end.
struct Command {
  /// What is left when the program has ended.
  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()

  init(_ program: String, _ arguments: String...) {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
  }

  /// Runs the program.
  ///
  /// - Parameter started: Called when the program has written its first bytes to standard error.
  func run(whenStarted started: ((Process) -> Void)? = nil) throws -> Result {
    try process.run()
    var written = Data()
    if let started {
      written = errors.fileHandleForReading.availableData
      started(process)
    }
    // What the tests run writes less than a pipe holds, so one pipe may be read after the other.
    let text = output.fileHandleForReading.readDataToEndOfFile()
    written += errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      output: String(decoding: text, as: UTF8.self),
      errors: String(decoding: written, as: UTF8.self))
  }
}
