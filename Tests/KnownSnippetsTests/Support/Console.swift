import Foundation

/// Takes the place of standard output, so that a test can read what a snippet prints and wait for it.
final class Console: Sendable {
  private struct State {
    /// The last line is the one that is being printed, empty until something is.
    var lines = [""]
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    var count: Int { lines.count - (lines.last == "" ? 1 : 0) }

    mutating func print(_ text: String) {
      var parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      lines[lines.count - 1] += parts.removeFirst()
      lines += parts
    }
  }

  private let state = Locked(State())

  /// Everything printed, line by line.
  var lines: [String] { state.withLock { $0.lines.prefix($0.count) }.map { $0 } }

  func print(_ item: some Sendable, terminator: String = "\n") {
    let ready = state.withLock { state in
      state.print("\(item)\(terminator)")
      let count = state.count
      let ready = state.waiting.filter { $0.count <= count }
      state.waiting.removeAll { $0.count <= count }
      return ready
    }
    for (_, continuation) in ready { continuation.resume() }
  }

  /// Returns once so many lines have been printed.
  func waitForLines(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.count >= count { return true }
        state.waiting.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Stands for the second that a snippet sleeps: other work may run meanwhile, and the second leaves a line.
  func waitASecond() async {
    await Task.yield()
    print("Wait for 1 second")
  }
}

/// A latch that one side opens and others wait at.
final class Signal: Sendable {
  private let console = Console()

  func send() { console.print("sent") }

  func wait() async { await console.waitForLines(1) }
}

/// Values that are handed out one at a time, as `getValue()` does in a snippet that leaves open where they come from.
final class Supply<Value: Sendable>: Sendable {
  private let values: Locked<[Value]>

  init(_ values: [Value]) { self.values = Locked(values.reversed()) }

  func next() -> Value? { values.withLock { $0.popLast() } }
}

/// The error of snippets that need one.
struct SnippetError: Error, Equatable {}

/// Guards a value by a lock that ThreadSanitizer can see, as it cannot see a `Mutex` that had to wait.
final class Locked<Value>: @unchecked Sendable {  // `lock` guards `value`.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&value) }
  }
}
