import FileIndexCore
import Foundation

@main
struct Main {
  static func main() async {
    StandardDescriptors.occupy()
    // If the reader closes the pipe, the write fails instead of ending the program.
    signal(SIGPIPE, SIG_IGN)
    let interrupt = await Interrupt()
    let program = Program(output: .standard, errors: .errors)
    let work = Task { await program.run(CommandLine.arguments.dropFirst()) }
    let watch = Task {
      for await _ in interrupt.first { work.cancel() }
    }
    let code = await work.value
    watch.cancel()
    exit(code.rawValue)
  }
}
