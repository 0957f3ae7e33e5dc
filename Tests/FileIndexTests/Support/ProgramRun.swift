import FileIndexCore

/// A run of the program in this process, and what is left of it.
struct ProgramRun {
  var code: ExitCode
  var output: String
  var errors: String

  init(_ arguments: [String]) async throws {
    let output = try OutputFile()
    let errors = try OutputFile()
    code = await Program(output: output.output, errors: errors.output).run(arguments)
    self.output = try output.text
    self.errors = try errors.text
  }
}
