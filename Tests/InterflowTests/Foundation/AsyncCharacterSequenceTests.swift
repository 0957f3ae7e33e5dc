import Interflow
import InterflowTestSupport
import Testing

@Suite("characters")
struct AsyncCharacterSequenceTests {
  /// The scalars of each character, since equal characters may be made of different ones.
  private func scalars(_ characters: some Sequence<Character>) -> [[Unicode.Scalar]] {
    characters.map { Array($0.unicodeScalars) }
  }

  @Test(arguments: [
    "", "a", "abc", "\r\n", "\r\r\n\n", "a\r\nb", "e\u{301}\u{323}x", "👨‍👩‍👧‍👦👍🏽", "🇩🇪🇫🇷🇯🇵🇺", "한국\u{1112}\u{1161}\u{11AB}",
    "क्षि", "\u{301}a", "\u{200D}👍", "a\u{FE0F}", "\n\u{301}", "\r\u{301}\n", "\u{FEFF}a", "👩🏿‍🚀\n",
  ])
  func charactersAreThoseOfAString(_ text: String) async {
    #expect(scalars(await collect(ByteSequence(text).characters).values) == scalars(text))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func randomBytesHaveTheCharactersOfTheirText(_ seed: UInt64) async {
    var random = Random(seed)
    for round in 0..<80 {
      let bytes = TextModel.randomBytes(&random)
      let runs = TextModel.randomRuns(bytes, &random)
      let characters = await collect(BufferedRuns(runs).characters).values
      #expect(
        scalars(characters) == scalars(String(decoding: bytes, as: UTF8.self)), "seed \(seed), round \(round): \(runs)")
    }
  }

  /// Scalars that were looked at, or copied, again with each one that follows would keep the test for long.
  @Test func aCharacterMayHaveAnyNumberOfScalars() async {
    let text = "e" + String(repeating: "\u{301}", count: 200_000) + "x"
    let characters = await collect(ByteSequence(text).characters).values
    #expect(characters.map(\.unicodeScalars.count) == [200_001, 1])
  }

  #if INTERFLOW_FOUNDATION
    @Test func aLineFeedIsDeliveredAtOnce() async throws {
      let pipe = TestPipe()
      var characters = pipe.reader.bytes.characters.makeAsyncIterator()
      for text in ["a\n", "\n", "b\r\n", "👍🏽\n"] {
        try pipe.write(text.utf8)
        for character in text { #expect(try await characters.next() == character) }
      }
      try pipe.write("e".utf8)
      try pipe.write("\u{301}".utf8)
      try pipe.closeWriter()
      #expect(try await characters.next() == "e\u{301}")
      #expect(try await characters.next() == nil)
      #expect(try await characters.next() == nil)
    }
  #endif

  @Test func theFailureKeepsItsTypeAndTakesTheUnfinishedCharacterWithIt() async {
    let bytes = ByteSequence<TestError>(bytes: Array("ab".utf8), failure: TestError("cut"))
    var iterator = bytes.characters.makeAsyncIterator()
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
