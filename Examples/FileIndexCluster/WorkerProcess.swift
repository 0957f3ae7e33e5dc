import Foundation

/// A worker in a process of its own, which is this program.
final class WorkerProcess {
  private let process = Process()
  // The worker ends when nobody has the pipe's other end any more.
  private let input = Pipe()

  var identifier: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  init(_ arguments: [String]) throws {
    #if os(Linux)
      let program = "/proc/self/exe"
    #else
      let program = CommandLine.arguments[0]
    #endif
    process.executableURL = URL(fileURLWithPath: program).resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardInput = input
    try process.run()
  }

  /// Tells the worker to end.
  func close() { try? input.fileHandleForWriting.close() }

  /// Returns when the worker has ended. One that does not within ten seconds of being told is terminated.
  func end() {
    close()
    let termination = DispatchWorkItem { [process] in process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: termination)
    process.waitUntilExit()
    termination.cancel()
  }
}
