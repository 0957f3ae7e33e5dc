import FileIndexCore
import Foundation

@main
struct Main {
  static func main() async {
    // A reader that goes away shows as an error of the write, not as the death of the program.
    signal(SIGPIPE, SIG_IGN)
    let program = Program(output: .standard, errors: .errors)
    let work = Task { await program.run(CommandLine.arguments.dropFirst()) }
    let interrupt = Interrupt(cancelling: work)
    let code = await work.value
    interrupt.end()
    exit(code.rawValue)
  }
}
