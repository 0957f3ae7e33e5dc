import Dispatch
import Testing

/// Something that happens a number of times, and that async code can wait for.
package final class Signal: Sendable {
  private struct State {
    var count = 0
    var waiters: [Waiter] = []
    var lastNumber = 0
  }

  private struct Waiter {
    let number: Int
    let count: Int
    /// Resumed with whether it has happened so many times.
    let continuation: CheckedContinuation<Bool, Never>
  }

  private let state = Shared(State())

  package init() {}

  /// How often it has happened.
  package var count: Int { state.value.count }

  package func fire() {
    let due = state.update { state in
      state.count += 1
      let due = state.waiters.filter { $0.count <= state.count }
      state.waiters.removeAll { $0.count <= state.count }
      return due
    }
    for waiter in due { waiter.continuation.resume(returning: true) }
  }

  /// Returns when it has happened so many times. It is an issue if that takes half an hour, which only bounds how long a
  /// defect keeps the tests waiting.
  package func wait(
    _ count: Int = 1, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    let hasHappened = await withCheckedContinuation { continuation in
      let number = state.update { state -> Int? in
        if state.count >= count { return nil }
        state.lastNumber += 1
        state.waiters.append(Waiter(number: state.lastNumber, count: count, continuation: continuation))
        return state.lastNumber
      }
      guard let number else { return continuation.resume(returning: true) }
      DispatchQueue.global().asyncAfter(deadline: .now() + longWait) { [weak self] in self?.giveUp(number) }
    }
    if !hasHappened {
      Issue.record(
        "waited for half an hour: it has happened \(self.count) times, and not \(count)",
        sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }
  }

  private func giveUp(_ number: Int) {
    let waiter = state.update { state in
      state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(returning: false)
  }
}

/// For how many seconds tests wait for something that only a defect keeps from happening.
let longWait = 1_800.0

/// Lets other tasks run until something is so. For states that nothing signals; whether it comes true is the test. It is
/// an issue if that takes half an hour.
package func until(
  isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, filePath: String = #filePath,
  line: Int = #line, column: Int = #column, _ condition: () -> Bool
) async {
  let begin = ContinuousClock.now
  while !condition() {
    if begin.duration(to: .now) > .seconds(longWait) {
      Issue.record(
        "waited for half an hour for a condition",
        sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
      return
    }
    await Task.yield()
  }
}

/// Everything that an asynchronous sequence delivers, and the error it ends with.
package func collect<S: AsyncSequence>(
  _ sequence: S, isolation: isolated (any Actor)? = #isolation
) async -> (values: [S.Element], error: S.Failure?) {
  var values: [S.Element] = []
  var iterator = sequence.makeAsyncIterator()
  do {
    while let value = try await iterator.next(isolation: isolation) { values.append(value) }
  } catch {
    return (values, error)
  }
  return (values, nil)
}
