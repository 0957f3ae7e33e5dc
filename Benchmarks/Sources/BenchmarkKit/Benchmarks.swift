import Foundation

/// A program that measures scenarios as its arguments say.
package struct Benchmarks {
  private let scenarios: [Scenario]
  private let rows: [ScalingRow]

  package init(_ scenarios: [[Scenario]], scaling rows: [ScalingRow] = []) {
    self.scenarios = scenarios.flatMap { $0 }
    self.rows = rows
  }

  /// Measures and prints, or exits with an error's status.
  package func run() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      if options.showsHelp { return print(Options.help) }
      let scenarios = scenarios.filter { options.wants($0.name) }
      let rows = rows.filter { options.wants($0.name) }
      if options.lists { return print((scenarios.map(\.name) + rows.map(\.name)).joined(separator: "\n")) }
      if scenarios.isEmpty, rows.isEmpty { throw Options.Problem.nothingMatches(options.filters) }
      let report = try await measure(scenarios, rows, options)
      print(options.writesJSON ? try report.json() : report.text)
    } catch let problem as Options.Problem {
      exit(with: 2, "\(problem)")
    } catch {
      exit(with: 1, "\(error)")
    }
  }

  @MainActor private func measure(
    _ scenarios: [Scenario], _ rows: [ScalingRow], _ options: Options
  ) async throws -> Report {
    // The C library's locks are faster while there is only one thread.
    await Task.detached {}.value

    let runner = Runner(runs: options.runs)
    var report = Report()
    for scenario in referenceScenarios where options.measuresReferences {
      progress(scenario.name)
      report.references.append(try await runner.measure(scenario))
    }
    let machine = report.references.first { $0.name == machineReference.name }
    let factor = machine.map { $0.median / machineReference.nanoseconds }
    report.machineFactor = factor
    for scenario in scenarios {
      progress(scenario.name)
      let measurement = try await runner.measure(scenario).scalingGoal(by: factor)
      report.measurements.append(measurement.settingGoal(scenario.relativeGoal, among: report.measurements))
    }
    for row in rows {
      progress(row.name)
      var points: [Series.Point] = []
      for size in row.sizes {
        points.append(Series.Point(size: size, figure: try await runner.measure(row.scenario(size)).median))
      }
      report.series.append(
        Series(
          name: row.name, growth: row.growth, points: points,
          goal: factor.flatMap { factor in row.goal.map { $0 * factor } }))
    }
    report.peak = ProcessMemory.peak
    return report
  }

  /// Reports which scenario is being measured.
  private func progress(_ name: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    FileHandle.standardError.write(Data("measuring \(name)\n".utf8))
  }

  private func exit(with code: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data("\(Options.program): \(message)\n".utf8))
    Foundation.exit(code)
  }
}
