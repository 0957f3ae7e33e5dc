/// The figures of all runs of one scenario.
package struct Measurement: Sendable, Equatable {
  package let name: String
  package let unit: String
  package let goal: Double?
  /// One figure for each run, in ascending order.
  package let runs: [Double]

  package init(name: String, unit: String, goal: Double? = nil, runs: [Double]) {
    precondition(!runs.isEmpty, "A measurement needs at least one run.")
    self.name = name
    self.unit = unit
    self.goal = goal
    self.runs = runs.sorted()
  }

  package var minimum: Double { runs[0] }

  package var median: Double {
    let middle = runs.count / 2
    return runs.count.isMultiple(of: 2) ? (runs[middle - 1] + runs[middle]) / 2 : runs[middle]
  }

  /// How far the runs lie apart, as a part of the median.
  package var spread: Double { median == 0 ? 0 : (runs[runs.count - 1] - minimum) / median }

  /// The same figures with the goal for a machine that takes so many times as long; with none where that is not known. Goals
  /// in bytes stay.
  package func scalingGoal(by factor: Double?) -> Measurement {
    guard unit.hasPrefix("ns") else { return self }
    let scaled = factor.flatMap { factor in goal.map { $0 * factor } }
    return Measurement(name: name, unit: unit, goal: scaled, runs: runs)
  }

  /// The same figures with a goal in terms of another row, if that was measured.
  package func settingGoal(_ goal: Scenario.RelativeGoal?, among rows: [Measurement]) -> Measurement {
    guard let goal, let row = rows.first(where: { $0.name == goal.row }) else { return self }
    return Measurement(name: name, unit: unit, goal: row.median * goal.times, runs: runs)
  }

  /// Whether the median is within the goal; `nil` where there is none.
  package var meetsGoal: Bool? { goal.map { median <= $0 } }
}
