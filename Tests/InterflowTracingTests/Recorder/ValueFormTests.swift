import InterflowTracing
import Testing

@Suite struct ValueFormTests {
  /// What is recorded of a value.
  private func recorded<Value>(_ value: Value) -> TraceRecording.Text? {
    let recorder = TraceRecorder()
    recorder.start()
    _ = Just(value).traced("values", recorder: recorder).sink { _ in }
    for case .value(let text, _) in recorder.kinds("values") { return text }
    return nil
  }

  @Test func numbersAndBooleans() {
    #expect(recorded(-7) == "-7")
    #expect(recorded(Int.min) == "-9223372036854775808")
    #expect(recorded(UInt64.max) == "18446744073709551615")
    #expect(recorded(Int8(-128)) == "-128")
    #expect(recorded(UInt8(255)) == "255")
    #expect(recorded(Int16(-3)) == "-3")
    #expect(recorded(UInt32.max) == "4294967295")
    #expect(recorded(0.1) == "0.1")
    #expect(recorded(Double.nan) == "nan")
    #expect(recorded(Float(0.1)) == "0.1")
    #expect(recorded(Float.greatestFiniteMagnitude) == "3.4028235e+38")
    #expect(recorded(-Float.infinity) == "-inf")
    #expect(recorded(true) == "true")
  }

  @Test func texts() {
    #expect(recorded("") == "")
    #expect(recorded("Grüße") == "Grüße")
    #expect(recorded("abcdef".dropFirst(2)) == "cdef")
    #expect(recorded(Character("ß")) == "ß")
    #expect(recorded(String(repeating: "x", count: 24))?.isCut == false)
  }

  @Test func longTextsAreCutBetweenScalars() {
    #expect(
      recorded(String(repeating: "x", count: 25)) == TraceRecording.Text(String(repeating: "x", count: 24), isCut: true)
    )
    // 23 bytes, and then one of two.
    let text = String(repeating: "x", count: 23) + "ü"
    #expect(recorded(text) == TraceRecording.Text(String(repeating: "x", count: 23), isCut: true))
    #expect(recorded(String(repeating: "👩‍👩‍👧", count: 100_000))?.isCut == true)
  }

  @Test func ofOtherTypesOnlyThatThereWasOne() {
    struct Secret: CustomStringConvertible {
      var description: String {
        Issue.record("called")
        return ""
      }
    }
    #expect(recorded(Secret()) == nil)
    #expect(recorded([1, 2]) == nil)
    #expect(recorded(Optional(1)) == nil)
  }
}
