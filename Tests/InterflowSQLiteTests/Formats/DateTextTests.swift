import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

@Suite struct DateTextTests {
  private func date(_ text: String) -> Date? { Date(databaseValue: .text(text)) }

  @Test(arguments: [
    (0.0, "2001-01-01 00:00:00.000000000"), (-978_307_200, "1970-01-01 00:00:00.000000000"),
    (-978_307_200.25, "1969-12-31 23:59:59.750000000"), (104_630_400.5, "2004-04-26 00:00:00.500000000"),
    (99_705_600, "2004-02-29 00:00:00.000000000"), (-26_611_200, "2000-02-28 00:00:00.000000000"),
    (-26_524_800, "2000-02-29 00:00:00.000000000"), (-26_438_400, "2000-03-01 00:00:00.000000000"),
    (-3_187_296_000, "1900-01-01 00:00:00.000000000"), (0.999_999_999_9, "2001-01-01 00:00:01.000000000"),
    (86_399.999_999_999_9, "2001-01-02 00:00:00.000000000"), (-63_114_076_800, "0000-12-30 00:00:00.000000000"),
    (252_423_993_599, "9999-12-31 23:59:59.000000000"),
  ])
  func aDateIsWrittenInUTC(seconds: Double, text: String) {
    #expect(DateText.text(seconds) == text)
  }

  @Test(arguments: [252_423_993_600, -63_145_526_400 - 1, 1e300, -1e300, .infinity, -.infinity, .nan])
  func aDateOutsideOfTheYearsHasNoText(seconds: Double) {
    #expect(DateText.text(seconds) == nil)
  }

  @Test func theFirstYearIsZero() {
    #expect(DateText.text(-63_145_526_400) == "0000-01-01 00:00:00.000000000")
    #expect(DateText.text(-63_145_526_400 - 1) == nil)
  }

  @Test(arguments: [
    ("2026-11-25", 0), ("2026-11-25 00:00", 0), ("2026-11-25T00:00:00", 0), ("2026-11-25t00:00:00z", 0),
    ("2026-11-25 01:02:03", 3_723), ("2026-11-25T01:02:03.5Z", 3_723.5), ("2026-11-25T01:02:03,25", 3_723.25),
    ("2026-11-25 01:02:03.123456789123456789", 3_723.123_456_789), ("2026-11-25T01:00:00+01:00", 0),
    ("2026-11-25T01:00:00 +01", 0), ("2026-11-25 00:30+0030", 0), ("2026-11-24T23:00:00.5-01:00", 0.5),
    ("2026-11-25 00:00:00   Z", 0),
  ])
  func theFormsOfISO8601AreRead(text: String, seconds: Double) throws {
    let read = try #require(date(text))
    let day: TimeInterval = 817_257_600
    #expect(abs(read.timeIntervalSinceReferenceDate - day - seconds) < 2e-7)
  }

  @Test(arguments: [
    "", " ", "x", "2026", "2026-11", "2026-1-2", "2026-13-01", "2026-00-01", "2026-02-29", "2026-02-30", "2026-04-31",
    "2026-11-00", "1900-02-29", "2026-11-25x", "2026-11-25 ", "2026-11-25T", "2026-11-25 24:00", "2026-11-25 00:60",
    "2026-11-25 00:00:60", "2026-11-25 00:00:00.", "2026-11-25 00:00:00.Z", "2026-11-25 00:00:00+", "00:00:00",
    "2026-11-25 00:00:00+25:00", "2026-11-25 00:00:00+01:", "2026-11-25 00:00:00+01:60", "2026-11-25 00:00:00ZZ",
    " 2026-11-25", "+2026-11-25", "-001-11-25", "2026-11-25 00:00:00\0", "２０２６-11-25", "1764099041.5", "12026-11-25",
    "2026-11-25 00:00:00.1.2",
  ])
  func otherTextIsNoDate(text: String) {
    #expect(date(text) == nil)
  }

  @Test func everyDayIsReadAsWritten() {
    // Of the 400 years after which the calendar repeats.
    let wrong = (-73_049...73_048).filter { day in
      let seconds = Double(day) * 86_400
      return DateText.text(seconds).flatMap(DateText.seconds) != seconds
    }
    #expect(wrong == [])
  }

  /// What the calendar of Foundation says.
  @Test func daysAreThoseOfTheGregorianCalendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    var random = Random(1)
    for _ in 0..<500 {
      let seconds = Double(Int.random(in: -12_000_000_000...60_000_000_000, using: &random))
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSinceReferenceDate: seconds))
      let numbers = [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second].map { $0 ?? -1 }
      let text = try #require(DateText.text(seconds))
      #expect(text.dropLast(10).split { !$0.isNumber }.map { Int($0) ?? -2 } == numbers)
    }
  }
}
