import BenchmarkKit

/// Runs a fixed set of scenarios for a program that counts instructions.
///
/// Each is run once to warm up and once inside `measured()`, the function whose instructions are to be counted:
/// one dump for each call. With `--list` it prints the names and the number of elements, in the order of the dumps.
@main enum Main {
  static func main() {
    if CommandLine.arguments.dropFirst().first == "--list" {
      for scenario in countedScenarios { print("\(scenario.name)\t\(scenario.count)") }
      return
    }
    for scenario in countedScenarios {
      guard case .synchronous(let work) = scenario.work else { continue }
      _ = work(scenario.count)
      current = { work(scenario.count) }
      measured()
      let expected = scenario.expected(scenario.count)
      precondition(result == expected, "\(scenario.name): the sum is \(result), expected \(expected).")
    }
  }
}

// Written and read by the main thread alone.
nonisolated(unsafe) private var current: () -> Int = { 0 }
nonisolated(unsafe) private var result = 0

@inline(never) func measured() {
  result = current()
}
