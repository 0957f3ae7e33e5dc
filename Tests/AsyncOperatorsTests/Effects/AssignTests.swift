import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AssignTests {
  @MainActor final class Label {
    var text = 0 { didSet { history.append(text) } }
    var history: [Int] = []
  }

  @MainActor @Test func eachElementIsAssigned() async {
    let label = Label()
    await ready([1, 2, 3]).assign(to: \.text, on: label)
    #expect(label.history == [1, 2, 3])
  }

  @MainActor @Test func theFailureIsThrown() async {
    let label = Label()
    await #expect(throws: TestError("a")) {
      try await ready([1], failure: TestError("a")).assign(to: \.text, on: label)
    }
    #expect(label.history == [1])
  }

  @MainActor @Test func cancellingEndsIt() async {
    let label = Label()
    let source = ManualSource<Int, Never>()
    source.send(1)
    let task = Task { await source.assign(to: \.text, on: label) }
    await source.requested.wait(2)
    task.cancel()
    await task.value
    #expect(label.history == [1])
    #expect(source.released.count == 1)
  }
}
