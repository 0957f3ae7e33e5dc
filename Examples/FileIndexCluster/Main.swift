import FileIndexCore
import Foundation

@main struct Main {
  static func main() async {
    // If the reader closes the pipe, the write fails instead of ending the program.
    signal(SIGPIPE, SIG_IGN)
    exit(await run().rawValue)
  }

  private static func run() async -> ExitCode {
    do {
      let options = try ClusterOptions(CommandLine.arguments.dropFirst())
      if options.showsHelp {
        print(ClusterOptions.help)
        return .success
      }
      if case .worker = options.role {
        try await Worker(options: options).run()
        return .success
      }
      let report = try await Coordinator(options).run()
      print(ReportTable(report).text, terminator: "")
      if report.isConsistent { return .success }
      say("the check failed: a file that was walked is neither indexed nor failed")
      return .failure
    } catch let problem as ClusterOptions.Problem {
      say("\(problem)\nTry 'file-index-cluster --help'.")
      return .usage
    } catch let problem as FolderProblem {
      say("\(problem)")
      return .folder
    } catch {
      say("\(error)")
      return .failure
    }
  }

  private static func say(_ text: String) {
    FileHandle.standardError.write(Data("file-index-cluster: \(text)\n".utf8))
  }
}
