import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

@Suite struct ObservedQueryPublisherTests {
  /// Counts from zero, and completes: each value that is delivered has the next one committed.
  private static func counting(_ count: Int) -> PublisherUnderTest {
    let database = Database.inMemory()
    try? database.write { try $0.execute(sql: "CREATE TABLE number (x)") }
    let numbers = database.observe { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM number") ?? -1 }
    return PublisherUnderTest(
      numbers.publisher
        .handleEvents(receiveOutput: { _ in
          try? database.write { try $0.execute(sql: "INSERT INTO number VALUES (1)") }
        })
        .prefix(count))
  }

  private static func failing() -> PublisherUnderTest {
    PublisherUnderTest(
      Database.inMemory().observe { try $0.fetchOne(Int.self, sql: "SELECT x FROM missing") }.publisher)
  }

  @Test func itKeepsTheRules() async throws {
    let options = PublisherVerification.Options(
      manyElements: hasThreadSanitizer ? 200 : 1_000, rounds: 3, deadline: .seconds(180)
    )
    .exempting(.failureNeedsNoDemand, because: "the query, which fails, runs only while there is demand")
    try await PublisherVerification.verify(options: options) {
      Self.counting($0)
    } failing: {
      Self.failing()
    }
  }
}
