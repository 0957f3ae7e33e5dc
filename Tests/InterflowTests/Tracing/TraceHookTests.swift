import Interflow
import InterflowTestSupport
import Testing

@Suite struct TraceHookTests {
  @Test func aHookReceivesTheEventAsItIs() {
    let kind = TraceEvent.Kind(rawValue: "test.call")
    let events = Shared<[TraceEvent]>([])
    let hook = TraceHook { event in events.update { $0.append(event) } }
    #expect(!hook.includesPayloads)
    #expect(hook.isOn)
    let start = ContinuousClock.now
    hook(
      TraceEvent(
        kind: kind, source: "source", message: "message", payload: "payload", start: start, duration: .seconds(2),
        error: CancellationError()))
    hook(TraceEvent(kind: kind, source: "source", message: "other", start: start))
    #expect(events.value.map(\.message) == ["message", "other"])
    #expect(events.value.map(\.payload) == ["payload", nil])
    #expect(events.value.map(\.duration) == [.seconds(2), .zero])
    #expect(events.value.map { $0.error is CancellationError } == [true, false])
    #expect(events.value.allSatisfy { $0.kind == kind && $0.source == "source" && $0.start == start })
  }
}
