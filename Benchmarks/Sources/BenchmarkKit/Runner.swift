/// Runs scenarios, and checks of every run that everything arrived.
package struct Runner: Sendable {
  /// A run whose sum is not the one that was expected.
  package struct WrongResult: Error, CustomStringConvertible, Equatable {
    package let scenario: String
    package let expected: Int
    package let actual: Int

    package init(scenario: String, expected: Int, actual: Int) {
      self.scenario = scenario
      self.expected = expected
      self.actual = actual
    }

    package var description: String {
      "\(scenario): the sum of what arrived is \(actual), expected \(expected)"
    }
  }

  package let runs: Int

  package init(runs: Int) {
    precondition(runs > 0, "The number of runs has to be positive, not \(runs).")
    self.runs = runs
  }

  /// Measures one scenario, after a run that does not count.
  ///
  /// On the main actor, since what the allocator holds is counted for the main thread.
  @MainActor package func measure(_ scenario: Scenario) async throws -> Measurement {
    _ = try await run(scenario, count: Swift.max(scenario.count / 10, 1))
    var figures: [Double] = []
    for _ in 0..<runs { figures.append(try await run(scenario, count: scenario.count)) }
    return Measurement(name: scenario.name, unit: scenario.unit.rawValue, goal: scenario.goal, runs: figures)
  }

  @MainActor private func run(_ scenario: Scenario, count: Int) async throws -> Double {
    let start = ContinuousClock.now
    let result: Int
    switch scenario.work {
    case .synchronous(let work): result = work(count)
    case .asynchronous(let work): result = await work(count)
    case .memory(let work): return Double(work(count)) / Double(count)
    case .measuring(let work): return work(count)
    }
    let duration = start.duration(to: .now)
    let expected = scenario.expected(count)
    guard result == expected else {
      throw WrongResult(scenario: scenario.name, expected: expected, actual: result)
    }
    return duration.nanoseconds / Double(count)
  }
}

extension Duration {
  package var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
