@testable import InterflowNATS
import Testing

@Suite struct SubjectNameTests {
  private func isSubject(_ text: String, wildcards: Bool = false) -> Bool {
    (try? SubjectName.check(text, wildcards: wildcards, while: "a test")) != nil
  }

  private func isIdentifier(_ text: String) -> Bool {
    (try? ValueIdentifier.check(text, while: "a test")) != nil
  }

  @Test(arguments: ["a", "a.b", "ä.🇨🇭", "a.\u{301}b", "a*", "*\u{301}"])
  func aTextThatIsASubject(text: String) {
    #expect(isSubject(text))
  }

  @Test(arguments: ["", ".", "a.", ".a", "a..b", "a b", "a\0b", "a\r\nb", "a\u{7f}", "*", "a.>", ">"])
  func aTextThatIsNoSubject(text: String) {
    #expect(!isSubject(text))
  }

  @Test(arguments: ["*", "a.*.b", "a.>", ">", "a.\u{301}.>"])
  func wildcardsWhereTheyAreAllowed(text: String) {
    #expect(isSubject(text, wildcards: true))
    #expect(!isSubject(text))
  }

  /// A dot and what combines with it are one character.
  @Test(arguments: [".\u{301}a", "a..\u{301}b", "a.\u{301}.", "a.>.\u{301}b"])
  func partsAreThoseOfTheServer(text: String) {
    #expect(!isSubject(text, wildcards: true))
  }

  @Test func aSubjectHasALargestLength() {
    #expect(isSubject(String(repeating: "a", count: SubjectName.maxLength)))
    #expect(!isSubject(String(repeating: "a", count: SubjectName.maxLength + 1)))
    #expect(!isSubject(String(repeating: "ä", count: SubjectName.maxLength / 2 + 1)))
  }

  @Test(arguments: ["a", "order-1", "a b", "ä", "a\u{a0}", "\u{3000}a", "🇨🇭"])
  func aTextThatIsAnIdentifier(text: String) {
    #expect(isIdentifier(text))
  }

  @Test(arguments: ["", " ", " a", "a ", "a\0b", "\0", "a\r\nb", "a\tb", "a\n", "\u{1f}", "a\u{7f}", "a \u{301}\u{1}"])
  func aTextThatIsNoIdentifier(text: String) {
    #expect(!isIdentifier(text))
  }
}
