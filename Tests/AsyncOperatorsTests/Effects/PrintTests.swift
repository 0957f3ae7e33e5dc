import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct PrintTests {
  private final class Lines: TextOutputStream, Sendable {
    let text = Shared("")
    func write(_ string: String) { text.update { $0 += string } }
  }

  @Test func everythingIsWritten() async {
    let lines = Lines()
    for await _ in [1].async.print("numbers", to: lines) {}
    #expect(
      lines.text.value == """
        numbers: receive subscription: (AsyncSyncSequence<Array<Int>>)
        numbers: request max: (1)
        numbers: receive value: (1)
        numbers: request max: (1)
        numbers: receive finished

        """)
  }

  @Test func failureAndCancellationAreWritten() async {
    let lines = Lines()
    _ = await collect(ready([Int](), failure: TestError("a")).print(to: lines))
    #expect(lines.text.value.hasSuffix("request max: (1)\nreceive error: (\(TestError("a")))\n"))
    for await _ in ready([1]).print(to: lines) { break }
    #expect(lines.text.value.hasSuffix("receive value: (1)\nreceive cancel\n"))
  }

  @Test func rules() async throws {
    try await expectRules([1, 2], pulls: [1, 2, 3], madeBeforeFailure: 2) { $0.print(to: "") }
  }
}
