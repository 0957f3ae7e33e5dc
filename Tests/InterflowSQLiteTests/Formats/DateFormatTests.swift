import Foundation
import InterflowTestSupport
import Testing

@testable import InterflowSQLite

@Suite struct DateFormatTests {
  private func database(_ format: DatabaseFormats.DateFormat) -> Database {
    var options = DatabaseOptions()
    options.formats.date = format
    return .inMemory(options: options)
  }

  /// A date, and what is stored of it, after it has been written to a column and read.
  private func written(_ date: Date, to database: Database) async throws -> (date: Date, value: DatabaseValue) {
    try await database.write { db in
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (date); DELETE FROM t")
      try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [date])
      let rows = try db.fetchCursor(sql: "SELECT date FROM t")
      let value = try rows.next()?.value(0) ?? .null
      return (try db.fetchOne(Date.self, sql: "SELECT date FROM t") ?? .distantPast, value)
    }
  }

  /// Of all the magnitudes that dates of programs have, with all the digits that they can have.
  private func randomDates(_ count: Int) -> [Date] {
    var random = Random(7)
    return (0..<count).map { number in
      let range: ClosedRange<Double> =
        switch number % 5 {
        case 0: 600_000_000...900_000_000  // Around now.
        case 1: -1_000_000_000...1_000_000_000
        case 2: -1...1
        case 3: -1_000_000_000 ... -970_000_000  // Around 1970.
        default: -60_000_000_000...250_000_000_000
        }
      return Date(timeIntervalSinceReferenceDate: Double.random(in: range, using: &random))
    }
  }

  @Test(arguments: [DatabaseFormats.DateFormat.secondsSince1970, .text, .secondsSinceReferenceDate])
  func aDateThatWasReadIsStoredAsTheSameValue(format: DatabaseFormats.DateFormat) async throws {
    let database = database(format)
    for date in randomDates(500) {
      let first = try await written(date, to: database)
      let second = try await written(first.date, to: database)
      #expect(second.date == first.date)
      #expect(second.value == first.value)
      let error = abs(first.date.timeIntervalSinceReferenceDate - date.timeIntervalSinceReferenceDate)
      #expect(error <= max(1e-6, date.timeIntervalSinceReferenceDate.ulp))
    }
  }

  @Test func referenceSecondsAreExactForEveryDate() async throws {
    let database = database(.secondsSinceReferenceDate)
    for date in randomDates(500) + [.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 1e300)] {
      #expect(try await written(date, to: database).date == date)
    }
  }

  @Test func textIsExactWhereDatesAreNotFiner() async throws {
    let database = database(.text)
    let dates = randomDates(1_000).filter { abs($0.timeIntervalSinceReferenceDate) >= 8_388_608 }
    #expect(dates.count > 500)
    for date in dates + [.distantPast, .distantFuture] {
      let (read, value) = try await written(date, to: database)
      #expect(read == date)
      guard case .text(let text) = value else {
        Issue.record("\(value)")
        continue
      }
      #expect(text.utf8.count == 29)
    }
  }

  @Test(arguments: [DatabaseFormats.DateFormat.secondsSince1970, .text, .secondsSinceReferenceDate])
  func whatSQLiteWritesIsRead(format: DatabaseFormats.DateFormat) async throws {
    let database = database(format)
    let (now, day, unix) = try await database.write { db in
      try db.execute(
        sql: "CREATE TABLE t (at DATETIME DEFAULT CURRENT_TIMESTAMP, day DATE DEFAULT CURRENT_DATE, text TEXT)")
      try db.execute(sql: "INSERT INTO t (text) VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))")
      return (
        try db.fetchOne(Date.self, sql: "SELECT at FROM t"), try db.fetchOne(Date.self, sql: "SELECT day FROM t"),
        try db.fetchOne(Date.self, sql: "SELECT text FROM t")
      )
    }
    // A clock is read by the test itself, in between.
    for date in [now, unix] { #expect(abs(try #require(date).timeIntervalSinceNow) < 3_600) }
    #expect(try #require(day).timeIntervalSinceReferenceDate.truncatingRemainder(dividingBy: 86_400) == 0)
  }

  @Test func sqliteReadsWhatIsWritten() async throws {
    let date = Date(timeIntervalSince1970: 1_764_099_041.5)
    let texts = try await [database(.secondsSince1970), database(.text)].asyncMap { database in
      try await database.read { db in
        try db.fetchOne(
          String.self,
          sql: "SELECT strftime('%Y-%m-%d %H:%M:%f', ?1, iif(typeof(?1) = 'real', 'unixepoch', '+0 days'))",
          arguments: [date])
      }
    }
    #expect(texts == ["2025-11-25 19:30:41.500", "2025-11-25 19:30:41.500"])
  }

  @Test func numbersAreSecondsOfTheColumnsFormat() async throws {
    let numbers: [(DatabaseFormats.DateFormat, Date)] = [
      (.secondsSince1970, Date(timeIntervalSince1970: 5)), (.text, Date(timeIntervalSince1970: 5)),
      (.secondsSinceReferenceDate, Date(timeIntervalSinceReferenceDate: 5)),
    ]
    for (format, date) in numbers {
      #expect(try await database(format).read { try $0.fetchAll(Date.self, sql: "VALUES (5), (5.0)") } == [date, date])
    }
  }

  private struct Visit: Codable, Equatable, DatabaseFormatted {
    var begin: Date
    var end: Date?
    var seen: Date?

    static func formats(forColumn column: String) -> DatabaseFormats? {
      switch column {
      case "begin": DatabaseFormats(date: .secondsSinceReferenceDate)
      case "end": DatabaseFormats(date: .text)
      default: nil
      }
    }
  }

  @Test func aTypeChoosesTheFormatsOfItsColumns() async throws {
    let visit = Visit(
      begin: Date(timeIntervalSinceReferenceDate: 800_000_000.1), end: Date(timeIntervalSinceReferenceDate: 0.5),
      seen: Date(timeIntervalSince1970: 7))
    let arguments = try DatabaseArguments(encoding: visit)
    try await Database.inMemory().write { db in
      // The names of the columns are written otherwise.
      try db.execute(sql: "CREATE TABLE visit (BEGIN, \"End\", seen)")
      try db.execute(sql: "INSERT INTO visit VALUES (:begin, :end, :seen)", arguments: arguments)
      let rows = try db.fetchCursor(sql: "SELECT * FROM visit")
      let row = try #require(try rows.next())
      #expect(row.value(0) == .real(800_000_000.1))
      #expect(row.value(1) == .text("2001-01-01 00:00:00.500000000"))
      #expect(row.value(2) == .real(7))
      let decoded = try row.decode(Visit.self)
      #expect(decoded == visit)
      let all = try db.fetchAll(Visit.self, sql: "SELECT * FROM visit")
      #expect(all == [visit])
    }
  }

  @Test func textThatIsNoDateIsAnErrorThatSaysWhatIs() async throws {
    struct Event: Decodable { var at: Date }
    let error = await databaseError {
      try await Database.inMemory().read { try $0.fetchOne(Event.self, sql: "SELECT 'yesterday' AS at") }
    }
    #expect(error?.kind == .decoding)
    #expect(
      error?.message == """
        the column at holds text that is no date: expected is the form 2026-11-25 19:30:41.5, or 2026-11-25T19:30:41Z, \
        or with an offset as +01:00 instead of UTC
        """)
    let blob = await databaseError {
      try await Database.inMemory().read { try $0.fetchOne(Event.self, sql: "SELECT x'00' AS at") }
    }
    #expect(blob?.message == "the column at holds a blob, which cannot be decoded as Date")
  }

  @Test func aNumberInAColumnOfTextIsAnErrorThatSaysWhatToDo() async throws {
    let error = await databaseError {
      try await Database.inMemory().write { db in
        try db.execute(sql: "CREATE TABLE t (at TEXT)")
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [Date(timeIntervalSince1970: 1.5)])
        return try db.fetchOne(Date.self, sql: "SELECT at FROM t")
      }
    }
    #expect(error?.message.hasSuffix("store dates there with DatabaseFormats.date = .text") == true)
  }

  @Test func aDateThatHasNoTextIsRefused() async {
    for seconds in [1e12, .infinity, .nan] {
      let error = await databaseError {
        try await database(.text).read {
          try $0.fetchOne(String.self, sql: "SELECT ?", arguments: [Date(timeIntervalSinceReferenceDate: seconds)])
        }
      }
      #expect(error?.kind == .misuse)
    }
  }

  @Test(arguments: [DatabaseFormats.DateFormat.secondsSince1970, .secondsSinceReferenceDate])
  func aDateThatIsNoNumberIsRefused(format: DatabaseFormats.DateFormat) async {
    let error = await databaseError {
      try await database(format).read {
        try $0.fetchOne(String.self, sql: "SELECT ?", arguments: [Date(timeIntervalSinceReferenceDate: .nan)])
      }
    }
    #expect(error?.kind == .misuse)
  }

  @Test func functionsReturnDatesInTheFormatOfTheDatabase() async throws {
    var options = DatabaseOptions()
    options.formats.date = .text
    options.prepare = { db in
      try db.addFunction("start", argumentCount: 0) { _ in Date(timeIntervalSinceReferenceDate: 0) }
    }
    let text = try await Database.inMemory(options: options).read {
      try $0.fetchOne(String.self, sql: "SELECT start()")
    }
    #expect(text == "2001-01-01 00:00:00.000000000")
  }
}

extension Array {
  fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
