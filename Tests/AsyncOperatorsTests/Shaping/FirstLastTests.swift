import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FirstLastTests {
  let log = ProbeLog()
  var probe: Probe<Int, TestError> { Probe(elements: [1, 4, 3], failure: nil, log: log) }
  var failing: Probe<Int, TestError> { Probe(elements: [1], failure: TestError("base"), log: log) }

  @Test func theFirstElementIsTheOnlyOneTaken() async throws {
    #expect(try await probe.first() == 1)
    #expect(log.pulls == 1)
    #expect(await [Int]().async.first() == nil)
    #expect(try await failing.first() == 1)
  }

  @Test func theLastElementComesWithTheEnd() async throws {
    #expect(try await probe.last() == 3)
    #expect(log.pulls == 4)
    #expect(await [Int]().async.last() == nil)
    #expect(try await probe.last { $0.isMultiple(of: 2) } == 4)
    #expect(await [1, 4].async.last { $0 > 4 } == nil)
    #expect(
      await [1, 4].async.last { number in
        await Task.yield()
        return number < 4
      } == 1)
  }

  @Test func failuresAreThrown() async {
    do throws(TestError) {
      _ = try await failing.last()
      Issue.record("no error")
    } catch {
      #expect(error == TestError("base"))
    }
    await #expect(throws: TestError("base")) { try await failing.last { _ in true } }
    await #expect(throws: TestError("closure")) { try await [1].async.last { _ in throw TestError("closure") } }
  }

  @Test func aCancelledTaskGetsNothing() async {
    let task = Task { await (Endless<Int>().first(), Endless<Int>().last()) }
    task.cancel()
    #expect(await task.value == (nil, nil))
  }

  @Test @MainActor func elementsAreTakenOnTheCallersActor() async throws {
    let log = ProbeLog(testActor: MainActor.shared)
    let probe = Probe<Int, TestError>(elements: [1, 2], failure: nil, log: log)
    _ = try await (probe.first(), probe.last(), probe.output(at: 1))
    _ = try await probe.last { _ in
      MainActor.preconditionIsolated()
      return true
    }
    #expect(!log.wasElsewhere)
  }
}
