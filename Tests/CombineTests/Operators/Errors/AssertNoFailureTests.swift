import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AssertNoFailureTests {
  @Test func everythingButAFailurePasses() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.assertNoFailure().recorded(demand: .max(2))
    #expect(recorder.subscriptionNames == ["TestSubscription"])
    #expect(source.requests == [.max(2)])
    source.send(1)
    source.send(completion: .finished)
    #expect(recorder.log == ["1", "finished"])
    recorder.cancel()
    #expect(source.cancellations.count == 1)
  }

  @Test func failureStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      _ = Fail<Int, TestError>(error: TestError()).assertNoFailure("prefix").sink { _ in }
    }
  }

  @Test func messageNamesThePrefixAndTheError() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Fail<Int, TestError>(error: TestError("broken")).assertNoFailure("the pipeline").sink { _ in }
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("the pipeline: broken"))
  }

  @Test func keepsWhereItWasWritten() {
    let line: UInt = #line + 1
    let publisher = Just(1).assertNoFailure("note")
    #expect(publisher.line == line)
    #expect(publisher.prefix == "note")
    #expect("\(publisher.file)".hasSuffix("AssertNoFailureTests.swift"))
  }
}
