import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CollectionsTests {
  let failing = Probe<Int, TestError>(elements: [1, 2], failure: TestError("base"), log: ProbeLog())

  @Test func collectionsHaveTheElements() async throws {
    try await randomLists(seed: 11) { list, _ in
      let source = list.async
      #expect(await Array(source) == list)
      #expect(await ContiguousArray(source) == ContiguousArray(list))
      #expect(await Set(source) == Set(list))
      #expect(await source.collect() == list)
      #expect(await Dictionary(grouping: source, by: { $0 % 3 }) == Dictionary(grouping: list, by: { $0 % 3 }))
      #expect(
        await Dictionary(source.map { ($0, 1) }, uniquingKeysWith: +)
          == Dictionary(list.map { ($0, 1) }, uniquingKeysWith: +))
      let distinct = Set(list)
      #expect(
        await Dictionary(uniqueKeysWithValues: distinct.async.map { ($0, "\($0)") })
          == Dictionary(uniqueKeysWithValues: distinct.map { ($0, "\($0)") }))
    }
  }

  @Test func failuresAreThrown() async {
    do throws(TestError) {
      _ = try await Array(failing)
      Issue.record("no error")
    } catch {
      #expect(error == TestError("base"))
    }
    do throws(TestError) {
      _ = try await Set(failing)
      Issue.record("no error")
    } catch {
      #expect(error == TestError("base"))
    }
    do throws(TestError) {
      _ = try await failing.collect()
      Issue.record("no error")
    } catch {
      #expect(error == TestError("base"))
    }
    await #expect(throws: TestError("base")) { try await Dictionary(grouping: failing, by: { $0 }) }
    await #expect(throws: TestError("base")) { try await Dictionary(failing.map { ($0, 1) }, uniquingKeysWith: +) }
    await #expect(throws: TestError("base")) { try await Dictionary(uniqueKeysWithValues: failing.map { ($0, 1) }) }
  }

  @Test func errorsOfClosuresAreThrown() async {
    let twice = [1, 1].async.map { ($0, 1) }
    await #expect(throws: TestError("closure")) {
      try await Dictionary(twice, uniquingKeysWith: { _, _ in throw TestError("closure") })
    }
    await #expect(throws: TestError("closure")) {
      _ = try await Dictionary(grouping: [1].async) { number in
        await Task.yield()
        if number == 1 { throw TestError("closure") }
        return number
      }
    }
  }

  @Test func aCancelledTaskGetsWhatThereIs() async {
    let elements = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await Array((1...).async)
    }.value
    #expect(elements.isEmpty)
  }

  final class NotSendable {}

  @Test @MainActor func theyAreMadeOnTheCallersActor() async throws {
    let log = ProbeLog(testActor: MainActor.shared)
    let probe = Probe<Int, TestError>(elements: [1, 2], failure: nil, log: log)
    _ = try await Array(probe)
    _ = try await Set(probe)
    _ = try await probe.collect()
    _ = try await Dictionary(grouping: probe) { number in
      MainActor.preconditionIsolated()
      await Task.yield()
      return number
    }
    #expect(!log.wasElsewhere)
    let objects = AsyncStream<NotSendable>(unfolding: { nil })
    #expect(await Array(objects).isEmpty)
  }

  @Test func aKeyThatComesTwiceTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = await Dictionary(uniqueKeysWithValues: [(1, 1), (1, 2)].async)
    }
  }
}
