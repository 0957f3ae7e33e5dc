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
  private let errors = Pipe()

  init(_ program: String, _ arguments: String...) {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = errors
  }

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - closingOutput: Whether the program finds its standard output closed by the reader.
  ///   - started: Called when the program has written its first bytes to standard error.
  func run(closingOutput: Bool = false, whenStarted started: ((Process) -> Void)? = nil) throws -> Result {
    // A file, which never fills up: only one pipe can be read at a time.
    let output = try OutputFile()
    process.standardOutput = closingOutput ? try closedPipe() : output.handle
    try process.run()
    var written = Data()
    if let started {
      written = errors.fileHandleForReading.availableData
      started(process)
    }
    written += errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      output: try output.text,
      errors: String(decoding: written, as: UTF8.self))
  }

  private func closedPipe() throws -> Pipe {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    return pipe
  }
}
