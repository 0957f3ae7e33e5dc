import FileIndexCore
import Foundation

@main
struct Main {
  static func main() async {
    StandardDescriptors.occupy()
    // A reader that goes away shows as an error of the write, not as the death of the program.
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
