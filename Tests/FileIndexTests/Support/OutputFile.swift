import FileIndexCore
import Foundation

/// A file in the place of standard output.
final class OutputFile {
  private let folder: TemporaryFolder
  let handle: FileHandle

  init() throws {
    folder = try TemporaryFolder()
    try folder.addFile("output")
    handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.location("output")))
  }

  var output: TextOutput { TextOutput(descriptor: handle.fileDescriptor) }

  var text: String {
    get throws { try String(contentsOfFile: folder.location("output"), encoding: .utf8) }
  }
}
