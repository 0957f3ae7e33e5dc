import BenchmarkKit
import InterflowTracing

/// What `traced` adds to a signal, while its recorder is off and on.
let tracingScenarios = [
  Scenario(
    "subject to sink, not traced", group: "tracing", count: 1_000_000, goal: 16,
    work: .synchronous { count in sumOfSends(count) { $0 } }, expected: sumOfIndices),
  Scenario(
    "subject to sink, traced, recorder off", group: "tracing", count: 1_000_000, goal: 19,
    work: .synchronous { count in
      let recorder = TraceRecorder()
      return sumOfSends(count) { $0.traced("numbers", recorder: recorder) }
    }, expected: sumOfIndices),
  Scenario(
    "subject to sink, traced, recorder on", group: "tracing", count: 1_000_000, goal: 166,
    work: .synchronous { count in
      let recorder = TraceRecorder()
      recorder.start()
      return sumOfSends(count) { $0.traced("numbers", recorder: recorder) }
    }, expected: sumOfIndices),
]
