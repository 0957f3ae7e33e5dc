import Interflow
import Synchronization
import Testing

@Suite struct TraceHookExamplesTests {
  @Test func aHookCanBeOff() {
    let isTracing = Atomic(false)
    let hook = TraceHook(isOn: { isTracing.load(ordering: .relaxed) }) { event in
      print(event.message, event.duration)
    }
    #expect(!hook.isOn)
    isTracing.store(true, ordering: .relaxed)
    #expect(hook.isOn)
  }
}
