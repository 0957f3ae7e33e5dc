import BenchmarkKit
import Foundation
import Testing

@Suite struct MeasurementTests {
  @Test func theMedianOfAnOddNumberOfRunsIsTheOneInTheMiddle() {
    let measurement = Measurement(name: "a", unit: "ns/element", goal: 4, runs: [9, 1, 5])
    #expect(measurement.median == 5)
    #expect(measurement.minimum == 1)
    #expect(measurement.spread == 1.6)
    #expect(measurement.meetsGoal == false)
  }

  @Test func theMedianOfAnEvenNumberOfRunsLiesBetweenTheTwoInTheMiddle() {
    let measurement = Measurement(name: "a", unit: "ns/element", goal: 5, runs: [4, 1, 9, 6])
    #expect(measurement.median == 5)
    #expect(measurement.meetsGoal == true)
    #expect(Measurement(name: "a", unit: "ns/element", runs: [1]).meetsGoal == nil)
  }

  @Test func aGoalInTermsOfAnotherRowIsSoManyTimesItsMedian() {
    let other = Measurement(name: "C", unit: "ns/element", runs: [4])
    let measurement = Measurement(name: "a", unit: "ns/element", goal: 1, runs: [5])
    let goal = Scenario.RelativeGoal(to: "C", times: 1.5)
    #expect(measurement.settingGoal(goal, among: [other]).goal == 6)
    #expect(measurement.settingGoal(goal, among: []) == measurement)
    #expect(measurement.settingGoal(nil, among: [other]) == measurement)
  }
}

@Suite struct SeriesTests {
  @Test func theSlopeOfALineIsItsOwn() {
    let points = [1, 2, 4, 8].map { Series.Point(size: $0, figure: 10 + 3 * Double($0)) }
    #expect(abs(Series(name: "a", growth: .perUnit("operator"), points: points).slope - 3) < 1e-9)
  }

  @Test func growthForEachTenfoldSize() {
    let points = [10, 100, 1_000].map { Series.Point(size: $0, figure: 5 + 2 * log10(Double($0))) }
    #expect(abs(Series(name: "a", growth: .perDecade, points: points).slope - 2) < 1e-9)
  }

  @Test func aSlopeOverItsGoalIsCalledSo() {
    let points = [1, 2].map { Series.Point(size: $0, figure: 3 * Double($0)) }
    for (goal, end) in [(3.5, "goal 3.50"), (2.5, "goal 2.50 over")] {
      var report = Report()
      report.series = [Series(name: "a", growth: .perUnit("operator"), points: points, goal: goal)]
      #expect(report.text.contains("slope +3.000 ns for each further operator, \(end)\n"))
    }
  }

  @Test func oneSizeHasNoSlope() {
    let series = Series(name: "a", growth: .perDecade, points: [Series.Point(size: 10, figure: 3)])
    #expect(series.slope == 0)
  }
}

@Suite struct ReportTests {
  private var report: Report {
    var report = Report()
    report.references = [Measurement(name: "yield", unit: "ns/element", runs: [500])]
    report.measurements = [
      Measurement(name: "fast", unit: "ns/element", goal: 20, runs: [5, 10, 15]),
      Measurement(name: "slow", unit: "ns/element", goal: 20, runs: [250]),
    ]
    report.series = [Series(name: "chain", growth: .perUnit("operator"), points: [.init(size: 1, figure: 2)])]
    report.machineFactor = 2
    report.peak = 3 << 20
    return report
  }

  @Test func theTableShowsRatiosAndWhatIsOverItsGoal() {
    #expect(
      report.text == """
        scenario  median  minimum  spread  ratio  goal
        yield        500      500     0 %  1.000     –
        fast        10.0     5.00   100 %  0.020  20.0
        slow         250      250     0 %  0.500  20.0  over

        chain: 1: 2.00
          slope +0.000 ns for each further operator

        goals in nanoseconds: times 2.00 for this machine

        peak resident size: 3 MiB
        """)
  }

  @Test func goalsInNanosecondsAreScaledAndThoseInBytesAreNot() {
    let time = Measurement(name: "a", unit: "ns/element", goal: 10, runs: [15])
    #expect(time.meetsGoal == false)
    #expect(time.scalingGoal(by: 2).meetsGoal == true)
    let memory = Measurement(name: "a", unit: "bytes/subscription", goal: 10, runs: [15])
    #expect(memory.scalingGoal(by: 2).meetsGoal == false)
    #expect(time.scalingGoal(by: nil).meetsGoal == nil)
    #expect(memory.scalingGoal(by: nil).meetsGoal == false)
  }

  @Test func everyObjectOfTheJSONHasTheFourFields() throws {
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Data(try report.json().utf8)) as? [[String: Any]])
    #expect(
      rows.map { $0["name"] as? String } == ["yield", "fast", "slow", "chain: 1", "chain: slope", "peak resident size"])
    for row in rows {
      #expect(row["median"] is Double && row["minimum"] is Double && row["unit"] is String)
    }
  }
}

@Suite struct RunnerTests {
  @Test func aWrongSumIsAnErrorAlreadyWhenWarmingUp() async {
    let scenario = Scenario(
      "broken", group: "tests", count: 100, work: .synchronous { $0 - 1 }, expected: { $0 })
    await #expect(throws: Runner.WrongResult(scenario: "broken", expected: 10, actual: 9)) {
      _ = try await Runner(runs: 1).measure(scenario)
    }
  }

  @Test func everyRunCountsButTheFirst() async throws {
    let counter = Counter()
    let scenario = Scenario(
      "counted", group: "tests", count: 100,
      work: .asynchronous { count in
        await counter.add(count)
        return count
      }, expected: { $0 })
    let measurement = try await Runner(runs: 3).measure(scenario)
    #expect(measurement.runs.count == 3)
    #expect(await counter.counts == [10, 100, 100, 100])
  }

  @Test func memoryIsCountedForEachSubscription() async throws {
    let scenario = Scenario(
      "memory", group: "tests", unit: .bytesPerSubscription, count: 10, work: .memory { $0 * 32 }, expected: { _ in 0 })
    #expect(try await Runner(runs: 1).measure(scenario).median == 32)
  }
}

actor Counter {
  private(set) var counts: [Int] = []
  func add(_ count: Int) { counts.append(count) }
}
