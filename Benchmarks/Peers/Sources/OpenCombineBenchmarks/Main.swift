import BenchmarkKit
import Combine
import Dispatch

@main enum Main {
  static func main() async {
    await Benchmarks([
      sequenceScenarios, subjectScenarios, combiningScenarios, asyncScenarios, memoryScenarios,
    ]).run()
  }
}

/// What delivers on a queue.
func scheduler(for queue: DispatchQueue) -> DispatchQueue.OCombine { queue.ocombine }
