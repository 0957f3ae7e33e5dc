import Interflow
import InterflowTestSupport
import Testing

@Suite("unicodeScalars")
struct AsyncUnicodeScalarSequenceTests {
  private func expected(_ bytes: [UInt8]) -> [Unicode.Scalar] {
    Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
  }

  @Test func scalarsOfEveryLengthCome() async {
    let text = "aé€👍\u{0}\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}"
    #expect(await collect(ByteSequence(text).unicodeScalars).values == Array(text.unicodeScalars))
  }

  /// All second bytes after each first one, and the edges of the third and fourth.
  @Test func everyBeginningIsRepairedAsAStringIs() async {
    let edges: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xFF]
    for first in [0x7F, 0x80, 0xBF] + Array(UInt8(0xC0)...0xFF) {
      var bytes: [UInt8] = []
      for second in UInt8.min...UInt8.max { bytes += [first, second, 0x61] }
      for second in edges {
        for third in edges {
          bytes += [first, second, third, 0x61]
          for fourth: UInt8 in [0x7F, 0x80, 0xBF, 0xC2] { bytes += [first, second, third, fourth, 0x61] }
        }
      }
      let scalars = await collect(ByteSequence(bytes).unicodeScalars).values
      if scalars != expected(bytes) { Issue.record("first byte \(first)") }
    }
  }

  @Test(
    arguments: [
      [0xC2], [0xE2, 0x82], [0xF0, 0x9F], [0xF0, 0x9F, 0x91], [0xE2, 0xE2], [0xF0, 0x9F, 0xFF], [0xE2, 0x82, 0xC3],
    ] as [[UInt8]])
  func theEndBreaksAScalarOff(_ bytes: [UInt8]) async {
    #expect(await collect(ByteSequence(bytes).unicodeScalars).values == expected(bytes))
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func randomBytesHaveTheScalarsOfTheirText(_ seed: UInt64) async {
    var random = Random(seed)
    for round in 0..<150 {
      let bytes = TextModel.randomBytes(&random)
      let runs = TextModel.randomRuns(bytes, &random)
      let scalars = await collect(BufferedRuns(runs).unicodeScalars).values
      #expect(scalars == expected(bytes), "seed \(seed), round \(round): \(runs)")
    }
  }

  @Test func theFailureKeepsItsTypeAndTakesTheUnfinishedScalarWithIt() async {
    let bytes = ByteSequence<TestError>(bytes: [0x61, 0xE2, 0x82], failure: TestError("cut"))
    var iterator = bytes.unicodeScalars.makeAsyncIterator()
    do throws(TestError) {
      #expect(try await iterator.next() == "a")
      #expect(try await iterator.next() == "!")
    } catch {
      #expect(error == TestError("cut"))
    }
    let next = try? await iterator.next()
    #expect(next == .some(nil))
  }
}
