import Foundation
import InterflowTestSupport
import Testing

@Suite struct DocumentationTests {
  @Test func everyExampleIsCompiled() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let documentation = try DocumentationExamples(
      of: tests.appendingPathComponent("../../Sources/InterflowNATS"), tests: tests)
    #expect(documentation.examples.count > 8)
    for example in documentation.uncompiled {
      Issue.record("\(example.file) has an example that no test compiles:\n\(example.code)")
    }
  }

  /// Each configuration of the articles is one that the server accepts.
  @Test func everyConfigurationIsValid() throws {
    let catalogue = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/InterflowNATS/InterflowNATS.docc")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("configuration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificate = try Certificate()
    var count = 0
    for article in try FileManager.default.contentsOfDirectory(at: catalogue, includingPropertiesForKeys: nil)
    where article.pathExtension == "md" {
      let text = try String(contentsOf: article, encoding: .utf8)
      for block in text.split(separator: "```conf\n").dropFirst() {
        let configuration = block.prefix(upTo: block.firstRange(of: "```")?.lowerBound ?? block.endIndex)
          .replacing("\"server.pem\"", with: "\"\(certificate.file)\"")
          .replacing("\"server-key.pem\"", with: "\"\(certificate.key)\"")
        let file = folder.appendingPathComponent("server.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        let process = try ChildProcess(
          try NATSServer.findProgram(), ["-t", "-c", file.path], reading: .outputAndErrors)
        let output = String(decoding: process.output?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
        #expect(process.wait() == .exited(0), "\(article.lastPathComponent): \(output)")
        count += 1
      }
    }
    #expect(count == 3)
  }
}
