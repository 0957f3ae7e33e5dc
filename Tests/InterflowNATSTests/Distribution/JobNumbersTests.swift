@testable import InterflowNATS
import Testing

@Suite struct JobNumbersTests {
  /// Stores a job alone.
  private func stored(_ number: UInt64, _ numbers: inout JobNumbers) -> Bool {
    let mark = numbers.mark
    return numbers.stored(number, since: mark)
  }

  @Test func growingNumbersHaveNotBegunAgain() {
    var numbers = JobNumbers()
    for number: UInt64 in [1, 2, 5, 6] {
      let haveBegunAgain = stored(number, &numbers)
      #expect(!haveBegunAgain)
    }
  }

  @Test func jobsThatAreSentTogetherMayBeReportedInAnyOrder() {
    var numbers = JobNumbers()
    let mark = numbers.mark
    for number: UInt64 in [3, 1, 2] {
      let haveBegunAgain = numbers.stored(number, since: mark)
      #expect(!haveBegunAgain)
    }
    let last = stored(4, &numbers)
    #expect(!last)
  }

  @Test func aNumberThatHasBeenGivenBeforeHasBegunAgain() {
    var numbers = JobNumbers()
    _ = stored(5, &numbers)
    let haveBegunAgain = stored(5, &numbers)
    #expect(haveBegunAgain)
    let next = stored(6, &numbers)
    #expect(!next)
  }

  @Test func isReportedOnceForAllThatWereSentBefore() {
    var numbers = JobNumbers()
    _ = stored(50, &numbers)
    let mark = numbers.mark
    let reports = (1...3).map { numbers.stored($0, since: mark) }
    #expect(reports == [true, false, false])
    let next = stored(4, &numbers)
    #expect(!next)
    let again = stored(1, &numbers)
    #expect(again)
  }
}
