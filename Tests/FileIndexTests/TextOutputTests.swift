import FileIndexCore
import Foundation
import Testing

@Suite("Text output")
struct TextOutputTests {
  @Test("Everything is written")
  func everything() throws {
    let file = try OutputFile()
    let text = String(repeating: "grün\n", count: 100_000)
    try file.output.write(text)
    #expect(try file.text == text)
    #expect(!file.output.isTerminal)
  }

  @Test("A closed descriptor is an error, and no crash")
  func closed() {
    let error = #expect(throws: SystemError.self) { try TextOutput(descriptor: -1).write("text") }
    #expect(error?.number == EBADF)
    TextOutput(descriptor: -1).say("nobody listens")
  }
}
