import Interflow
import InterflowTestSupport
import Testing

/// Lines of bytes that come one by one, and of bytes that have been read ahead in runs.
@Suite("lines")
struct AsyncLineSequenceTests {
  /// The lines of bytes cut in every way that a separator may be cut.
  private func lines(_ bytes: [UInt8], keepingEmpty: Bool) async -> Set<[String]> {
    var results: Set<[String]> = [await collect(ByteSequence(bytes).lines(keepingEmpty: keepingEmpty)).values]
    for size in 1...5 {
      let runs = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
      results.insert(await collect(BufferedRuns(runs).lines(keepingEmpty: keepingEmpty)).values)
    }
    if !keepingEmpty {
      results.insert(await collect(ByteSequence(bytes).lines).values)
      results.insert(await collect(BufferedRuns([bytes[...]]).lines).values)
    }
    return results
  }

  // MARK: What a line is

  @Test(arguments: ["\n", "\u{B}", "\u{C}", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"])
  func everySeparatorEndsALine(_ separator: String) async {
    let text = Array("one\(separator)two\(separator)\(separator)three".utf8)
    #expect(await lines(text, keepingEmpty: false) == [["one", "two", "three"]])
    #expect(await lines(text, keepingEmpty: true) == [["one", "two", "", "three"]])
  }

  @Test(
    arguments: [
      ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("\n\n", ["", ""]), ("a\n\nb", ["a", "", "b"]),
      ("\r\n\r\n", ["", ""]), ("\r\r\n\n", ["", "", ""]), ("\n\r", ["", ""]), ("a\r", ["a"]), ("\r\na", ["", "a"]),
      ("\r\u{2028}\n", ["", "", ""]),
    ] as [(String, [String])])
  func emptyLinesAreKeptIfTheyAreWanted(_ text: String, _ expected: [String]) async {
    #expect(await lines(Array(text.utf8), keepingEmpty: true) == [expected])
    #expect(await lines(Array(text.utf8), keepingEmpty: false) == [expected.filter { !$0.isEmpty }])
  }

  @Test func whatLooksLikeASeparatorIsText() async {
    let text = "\u{84}\u{86}\u{A0}é“”…\u{2027}\u{202A}\u{2068}\t\u{E}\0 ← ∞"
    #expect(await lines(Array(text.utf8), keepingEmpty: true) == [[text]])
  }

  @Test func aByteOrderMarkStays() async {
    #expect(await lines(Array("\u{FEFF}a\n\u{FEFF}b".utf8), keepingEmpty: true) == [["\u{FEFF}a", "\u{FEFF}b"]])
  }

  @Test func invalidBytesAreRepairedAndHideNoSeparator() async {
    let bytes: [UInt8] = [0xFF, 0x61, 0x0A, 0xE2, 0x80, 0x0A, 0xC2, 0x0D, 0xE2, 0xC2, 0x85, 0xF0, 0x9F, 0x62]
    #expect(await lines(bytes, keepingEmpty: true) == [["\u{FFFD}a", "\u{FFFD}", "\u{FFFD}", "\u{FFFD}", "\u{FFFD}b"]])
  }

  @Test(arguments: [[0xC2], [0xE2], [0xE2, 0x80]] as [[UInt8]])
  func aSeparatorThatTheEndCutsOffIsText(_ bytes: [UInt8]) async {
    #expect(await lines([0x61] + bytes, keepingEmpty: false) == [["a\u{FFFD}"]])
  }

  @Test func linesMayBeLongerThanAnyBuffer() async {
    let long = String(repeating: "0123456789ä", count: 50_000)
    let bytes = Array("\(long)\r\n\(long)x\nend".utf8)
    let runs = stride(from: 0, to: bytes.count, by: 7_001).map { bytes[$0..<min($0 + 7_001, bytes.count)] }
    #expect(await collect(BufferedRuns(runs).lines).values == [long, "\(long)x", "end"])
    #expect(await collect(ByteSequence(bytes).lines).values == [long, "\(long)x", "end"])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func randomBytesHaveTheLinesOfTheirText(_ seed: UInt64) async {
    var random = Random(seed)
    for round in 0..<80 {
      let bytes = TextModel.randomBytes(&random)
      let runs = TextModel.randomRuns(bytes, &random)
      let expected = TextModel.lines(bytes)
      let all = await collect(BufferedRuns(runs).lines(keepingEmpty: true)).values
      let some = await collect(BufferedRuns(runs).lines).values
      let single = await collect(ByteSequence(bytes).lines(keepingEmpty: true)).values
      // Compared by scalars: equal strings may be made of different ones.
      let scalars = { (lines: [String]) in lines.map { Array($0.unicodeScalars) } }
      #expect(scalars(all) == scalars(expected), "seed \(seed), round \(round): \(runs)")
      #expect(scalars(single) == scalars(expected), "seed \(seed), round \(round): \(bytes)")
      #expect(scalars(some) == scalars(expected.filter { !$0.isEmpty }), "seed \(seed), round \(round): \(runs)")
    }
  }

  // MARK: Failures and the end

  @Test func theFailureKeepsItsTypeAndTakesTheUnfinishedLineWithIt() async {
    let bytes = ByteSequence<TestError>(bytes: Array("one\ntw".utf8), failure: TestError("cut"))
    var iterator = bytes.lines.makeAsyncIterator()
    do throws(TestError) {
      #expect(try await iterator.next() == "one")
      #expect(try await iterator.next() == "never")
    } catch {
      #expect(error == TestError("cut"))
    }
    #expect(await collect(bytes.lines).error == TestError("cut"))
    let next = try? await iterator.next()
    #expect(next == .some(nil))
  }

  @Test func aBufferedBaseFailsAfterItsLines() async {
    let (values, error) = await collect(BufferedRuns([Array("a\nb\nc".utf8)[...]], failure: TestError("cut")).lines)
    #expect(values == ["a", "b"])
    #expect(error as? TestError == TestError("cut"))
  }

  @Test func theEndStaysTheEnd() async {
    var iterator = ByteSequence("a").lines(keepingEmpty: true).makeAsyncIterator()
    #expect(await iterator.next() == "a")
    for _ in 0..<3 { #expect(await iterator.next() == nil) }
  }

  @Test func aBaseThatCannotFailNeedsNoTry() async {
    var lines: [String] = []
    for await line in ByteSequence("a\nb").lines { lines.append(line) }
    #expect(lines == ["a", "b"])
  }

  // MARK: Promptness

  #if INTERFLOW_FOUNDATION
    @Test func aLineIsDeliveredAsSoonAsItHasEnded() async throws {
      let pipe = TestPipe()
      var lines = pipe.reader.bytes.lines.makeAsyncIterator()
      // None of these lines waits for a byte behind its separator; the line feed arrives after the line has.
      for separator in ["\n", "\r", "\n\u{85}", "\r\n", "\u{2028}"] {
        try pipe.write("line\(separator)".utf8)
        #expect(try await lines.next() == "line")
      }
      try pipe.write("last".utf8)
      try pipe.closeWriter()
      #expect(try await lines.next() == "last")
      #expect(try await lines.next() == nil)
    }
  #endif

  @Test @MainActor func linesAreTakenOnTheCallersActor() async throws {
    var seen = 0
    for try await line in BufferedRuns([Array("a\nb".utf8)[...]]).lines {
      MainActor.assertIsolated()
      seen += line.count
    }
    #expect(seen == 2)
  }

  @Test func sequencesOfSendableBasesAreSendable() {
    func requireSendable<T: Sendable>(_: T.Type) {}
    requireSendable(AsyncLineSequence<ByteSequence<Never>>.self)
    requireSendable(AsyncLines<ByteSequence<Never>>.self)
    requireSendable(AsyncCharacterSequence<ByteSequence<Never>>.self)
    requireSendable(AsyncUnicodeScalarSequence<ByteSequence<Never>>.self)
  }
}
