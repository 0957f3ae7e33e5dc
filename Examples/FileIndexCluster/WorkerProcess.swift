import Foundation

/// A worker in a process of its own, which is this program.
final class WorkerProcess {
  private let process = Process()
  // The worker ends when nobody has the pipe's other end any more.
  private let input = Pipe()

  var identifier: Int32 { process.processIdentifier }

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

  func end() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }
}
