import BenchmarkKit

@main enum Main {
  static func main() async {
    await Benchmarks(
      [
        sequenceScenarios, subjectScenarios, combiningScenarios, asyncScenarios, bridgeScenarios, taskScenarios,
        moreOperatorScenarios, operatorScenarios, asyncSubjectScenarios, asyncLiveScenarios, tracingScenarios,
        memoryScenarios, databaseScenarios, natsScenarios,
      ], scaling: scalingRows + databaseRows
    ).run()
  }

  #if !INTERFLOW_SQLITE
    private static let databaseScenarios: [Scenario] = []
    private static let databaseRows: [ScalingRow] = []
  #endif

  #if !INTERFLOW_NATS
    private static let natsScenarios: [Scenario] = []
  #endif
}
