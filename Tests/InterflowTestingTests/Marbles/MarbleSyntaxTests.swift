import Testing

@testable import InterflowTesting

@Suite struct MarbleSyntaxTests {
  private func read(_ text: String) throws -> [String] {
    try MarbleSyntax(text).entries.map { "\($0.mark.text)@\($0.frame)" }
  }

  @Test func eachCharacterIsAFrame() throws {
    #expect(try read("a-b--c|") == ["a@0", "b@2", "c@5", "|@6"])
    #expect(try MarbleSyntax("a-b--c|").frames == 7)
    #expect(try read("--#") == ["#@2"])
    #expect(try MarbleSyntax("---").frames == 3)
    #expect(try read("") == [])
  }

  @Test func aGroupIsOneFrame() throws {
    #expect(try read("(ab)-|") == ["a@0", "b@0", "|@2"])
    #expect(try read("-(a|)") == ["a@1", "|@1"])
    #expect(try MarbleSyntax("(ab)-|").frames == 3)
  }

  @Test func whiteSpaceMeansNothing() throws {
    #expect(try read("  a - (b c)\n\t- |") == ["a@0", "b@2", "c@2", "|@4"])
  }

  @Test func subscriptionAndCancellationAreMarks() throws {
    let syntax = try MarbleSyntax("--^a-!")
    #expect(syntax.subscription == 2)
    #expect(syntax.cancellation == 5)
    #expect(syntax.signals.map(\.frame) == [3])
  }

  @Test func anyOtherCharacterIsAValue() throws {
    #expect(try read("1é👩‍🚀.") == ["1@0", "é@1", "👩‍🚀@2", ".@3"])
  }

  @Test(arguments: [
    ("a(b-c)", 4, "time does not pass inside a group; close it with ')' first"),
    ("a((b))", 3, "a group cannot contain a group"),
    ("ab)c", 3, "a group ends here that has not begun"),
    ("a-()", 3, "a group needs something in it"),
    ("a-(bc", 3, "the group that begins here does not end"),
    ("a|-", 3, "nothing comes after the end ('|')"),
    ("a|b", 3, "nothing comes after the end ('|')"),
    ("(|a)", 3, "nothing comes after the end ('|')"),
    ("-# |", 4, "nothing comes after the failure ('#')"),
    ("-!a", 3, "nothing comes after the cancellation ('!')"),
    ("a^", 2, "nothing comes before the subscription ('^')"),
    ("-^-^", 4, "nothing comes before the subscription ('^')"),
  ]) func mistakesHaveTheirColumn(diagram: String, column: Int, reason: String) throws {
    let error = try #require(throws: MarbleSyntaxError.self) { try MarbleSyntax(diagram) }
    #expect(error.column == column)
    #expect(error.reason == reason)
    #expect(error.diagram == diagram)
  }

  @Test func theDescriptionPointsAtTheMistake() throws {
    let error = try #require(throws: MarbleSyntaxError.self) { try MarbleSyntax("a -\tb)c") }
    #expect(
      "\(error)" == """
        column 6 of the diagram: a group ends here that has not begun
          a - b)c
               ^
        """)
  }

  @Test(arguments: ["a^", "a!"]) func aSourceDoesNotChooseItsSubscribers(diagram: String) throws {
    #expect(throws: MarbleSyntaxError.self) { try TestTimeline().hot(diagram) }
    #expect(throws: MarbleSyntaxError.self) { try TestTimeline().cold("--!") }
  }

  @Test func aValueThatIsMissingIsNamed() throws {
    let timeline = TestTimeline()
    let error = try #require(throws: MarbleSyntaxError.self) {
      try timeline.hot("1-2-x", values: ["1": 1, "2": 2])
    }
    #expect(error.column == 5)
    #expect(error.reason == "'x' stands for no Int; 'values:' has '1', '2'")
    let other = try #require(throws: MarbleSyntaxError.self) {
      try timeline.expect(Just(1), toEmit: "(a|)")
    }
    #expect(other.reason == "'a' stands for no Int; give its value with 'values:'")
  }

  @Test func aFailureNeedsAnError() throws {
    let error = try #require(throws: MarbleSyntaxError.self) { try TestTimeline().cold("a#") }
    #expect(error.reason == "a failure needs an error; give it with 'error:'")
    let other = try #require(throws: MarbleSyntaxError.self) {
      try TestTimeline().expect(Just("a"), toEmit: "a#")
    }
    #expect(other.reason == "the stream cannot fail")
  }
}
