import Foundation
import InterflowPrimitives

/// How many random schedules a stress test runs: as many as the environment variable `INTERFLOW_STRESS_RUNS` says, and
/// otherwise a tenth of what `make long` sets it to.
///
/// `make long` finds a test by the word Stress in its suite's name.
package var stressRuns: Int {
  environmentNumber("INTERFLOW_STRESS_RUNS") ?? (hasThreadSanitizer ? 250 : 1_000)
}

/// How many values show that a stream's cost and its stack do not grow with its length: a million, and fewer where each
/// takes ThreadSanitizer a microsecond or more.
package var longStreamCount: Int { hasThreadSanitizer ? 50_000 : 1_000_000 }

/// Whether the tests are compiled for ThreadSanitizer, under which they take many times as long.
package var hasThreadSanitizer: Bool { ThreadSanitizer.isEnabled }

/// The number that an environment variable holds; nil where it is not set.
package func environmentNumber(_ name: String) -> Int? {
  guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else { return nil }
  guard let number = Int(text) else { preconditionFailure("\(name) must be a number, but is \(text)") }
  return number
}
