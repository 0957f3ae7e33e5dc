/// Something that happens a number of times, and that async code can wait for.
package final class Signal: Sendable {
  private struct State {
    var count = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
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
    for waiter in due { waiter.continuation.resume() }
  }

  /// Returns when it has happened so many times.
  package func wait(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isDue = state.update { state in
        if state.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isDue { continuation.resume() }
    }
  }
}

/// Lets other tasks run until something is so. For states that nothing signals; whether it comes true is the test.
package func until(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
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
