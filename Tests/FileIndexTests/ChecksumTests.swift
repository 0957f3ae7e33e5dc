import FileIndexCore
import Foundation
import Testing

@Suite("Checksum")
struct ChecksumTests {
  @Test(
    "Known values",
    arguments: [
      ("", 4_294_967_295), ("123456789", 930_766_865), ("hello\n", 3_015_617_425),
    ] as [(String, UInt32)])
  func knownValues(text: String, expected: UInt32) {
    #expect(checksum([text]) == expected)
  }

  @Test("Where the chunks are cut makes no difference")
  func chunking() {
    let text = (0..<100).map { "line \($0)\n" }.joined()
    let whole = checksum([text])
    for cut in [1, 3, 7, 8, 9, 64, 255] {
      #expect(checksum([String(text.prefix(cut)), String(text.dropFirst(cut))]) == whole)
    }
  }

  @Test("Agrees with the cksum tool", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cksum")))
  func agreesWithTool() async throws {
    let folder = try TemporaryFolder()
    let content = (0..<20_000).map { "\($0 * $0 % 977)" }.joined(separator: "\t")
    try folder.addFile("sample", content)
    let output = try Command("/usr/bin/cksum", folder.location("sample")).run().output
    #expect(output.split(separator: " ").first == "\(checksum([content]))")
  }

  private func checksum(_ chunks: [String]) -> UInt32 {
    var checksum = Checksum()
    for chunk in chunks {
      Array(chunk.utf8).withUnsafeBytes { checksum.update($0) }
    }
    return checksum.value
  }
}
