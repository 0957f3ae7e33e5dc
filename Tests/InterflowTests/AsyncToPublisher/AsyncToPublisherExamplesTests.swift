import Interflow
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of publishers of async code, as written there.
// swift-format-ignore
@Suite struct AsyncToPublisherExamplesTests {
  private let print = ExampleOutput()

  @Test func deferred() async {
    let url = "https://www.swift.org"
    let attempts = Signal()
    @Sendable func fetch(_ url: String) async throws -> String {
      attempts.fire()
      if attempts.count < 3 { throw TestError("refused") }
      return "a page"
    }
    func show(_ page: String) { print("shows", page) }
    let page = Deferred { try await fetch(url) }
    let cancellable = page.retry(2).sink { print($0) } receiveValue: { show($0) }
    await until { print.lines == ["shows a page", "finished"] }
    withExtendedLifetime(cancellable) {}
  }

  @Test func futures() async throws {
    typealias QueryError = TestError
    let url = "https://www.swift.org"
    @Sendable func ask() async -> Int { 42 }
    @Sendable func fetch(_ url: String) async throws -> String { "a page" }
    @Sendable func query() async throws(QueryError) -> String { throw QueryError("no row") }
    let answer = Future { await ask() }
    let page = Future { try await fetch(url) }
    let row = Future { () async throws(QueryError) in try await query() }
    #expect(await answer.value == 42)
    #expect(try await page.value == "a page")
    await #expect(throws: QueryError("no row")) { try await row.value }
  }
}
