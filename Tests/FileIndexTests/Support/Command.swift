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
  /// - Parameters:
  ///   - closingOutput: Whether the program finds its standard output closed by the reader.
  ///   - started: Called when the program has written its first bytes to standard error.
  func run(closingOutput: Bool = false, whenStarted started: ((Process) -> Void)? = nil) throws -> Result {
    if closingOutput { try output.fileHandleForReading.close() }
    try process.run()
    var written = Data()
    if let started {
      written = errors.fileHandleForReading.availableData
      started(process)
    }
    // What the tests run writes less than a pipe holds, so one pipe may be read after the other.
    let text = closingOutput ? Data() : output.fileHandleForReading.readDataToEndOfFile()
    written += errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      output: String(decoding: text, as: UTF8.self),
      errors: String(decoding: written, as: UTF8.self))
  }
}
