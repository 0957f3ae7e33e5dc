/// One row of the table: work that can be done for any number of elements, and what it has to come to.
package struct Scenario: Sendable {
  /// What the figure of a row counts.
  package enum Unit: String, Sendable {
    case nanosecondsPerElement = "ns/element"
    case nanosecondsPerOperation = "ns/operation"
    case bytesPerSubscription = "bytes/subscription"
  }

  package enum Work: Sendable {
    /// Does the work for so many elements, and returns the sum that arrived.
    case synchronous(@Sendable (Int) -> Int)
    case asynchronous(@Sendable (Int) async -> Int)
    /// Makes so many subscriptions, keeps them alive, and returns the bytes that the allocator holds for all of them.
    case memory(@Sendable (Int) -> Int)
    /// Does the work for so many elements, and returns the figure itself.
    case measuring(@Sendable (Int) -> Double)
  }

  /// A goal in terms of another row, which is measured before: so many times as long.
  package struct RelativeGoal: Sendable, Equatable {
    package let row: String
    package let times: Double

    package init(to row: String, times: Double) {
      self.row = row
      self.times = times
    }
  }

  package let name: String
  package let group: String
  package let unit: Unit
  package let count: Int
  package let goal: Double?
  package let relativeGoal: RelativeGoal?
  package let work: Work
  /// What the sum has to be for so many elements: a pipeline that lost its subscription is very fast.
  package let expected: @Sendable (Int) -> Int

  package init(
    _ name: String, group: String, unit: Unit = .nanosecondsPerElement, count: Int, goal: Double? = nil,
    relativeGoal: RelativeGoal? = nil, work: Work, expected: @escaping @Sendable (Int) -> Int
  ) {
    self.name = name
    self.group = group
    self.unit = unit
    self.count = count
    self.goal = goal
    self.relativeGoal = relativeGoal
    self.work = work
    self.expected = expected
  }

  /// Whether this is a row that the others are compared with, and not one of the package's own.
  package var isReference: Bool { group == Scenario.referenceGroup }

  package static let referenceGroup = "reference"
}
