import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct IgnoreFailureTests {
  private let failing = Just(1).setFailureType(to: TestError.self).append(Fail(error: TestError("no")))

  @Test func failureBecomesTheEnd() {
    #expect(failing.ignoreFailure().recorded().log == ["1", "finished"])
    #expect(failing.ignoreFailure(setFailureType: MarbleError.self).recorded().log == ["1", "finished"])
  }

  @Test func failureBecomesSilence() {
    #expect(failing.ignoreFailure(completeImmediately: false).recorded().log == ["1"])
    let typed = failing.ignoreFailure(setFailureType: MarbleError.self, completeImmediately: false)
    #expect(typed.recorded().log == ["1"])
  }

  @Test func failureBecomesAValue() {
    #expect(failing.catchAndReturn(7).recorded().log == ["1", "7", "finished"])
  }

  @Test func failureBecomesAResult() throws {
    let recorder = failing.mapToResult().recorded(demand: .max(1))
    #expect(recorder.completions == 0)
    recorder.request(.max(1))
    #expect(recorder.values == [.success(1), .failure(TestError("no"))])
    #expect(recorder.isFinished)
  }
}

private struct MarbleError: Error {}
