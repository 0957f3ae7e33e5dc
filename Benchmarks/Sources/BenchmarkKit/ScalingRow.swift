/// How a figure grows along one measure: each has to stay flat, or to add a constant for each further one.
package struct ScalingRow: Sendable {
  package let name: String
  package let growth: Series.Growth
  package let sizes: [Int]
  /// What the slope is to be at most, in nanoseconds on the machine that the goals are for.
  package let goal: Double?
  package let scenario: @Sendable (Int) -> Scenario

  package init(
    name: String, growth: Series.Growth, sizes: [Int], goal: Double? = nil,
    scenario: @escaping @Sendable (Int) -> Scenario
  ) {
    self.name = name
    self.growth = growth
    self.sizes = sizes
    self.goal = goal
    self.scenario = scenario
  }
}
