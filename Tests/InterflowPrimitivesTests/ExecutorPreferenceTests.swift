import InterflowPrimitives
import Testing

@Suite struct ExecutorPreferenceTests {
  private final class Executor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { fatalError("nothing is started here") }
  }

  private func isCurrent(_ executor: Executor?) -> Bool { ExecutorPreference.current as? Executor === executor }

  @Test func thereIsNoneByDefault() {
    #expect(ExecutorPreference.current == nil)
  }

  @Test func preferencesNestAndEnd() {
    let (outer, inner) = (Executor(), Executor())
    ExecutorPreference.with(outer) {
      #expect(isCurrent(outer))
      ExecutorPreference.with(inner) { #expect(isCurrent(inner)) }
      #expect(isCurrent(outer))
    }
    #expect(isCurrent(nil))
  }

  @Test func aThrownErrorEndsIt() {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try ExecutorPreference.with(Executor()) { throw Stop() } }
    #expect(isCurrent(nil))
  }

  @Test func otherThreadsAreNotAffected() async {
    let executor = Executor()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<200 {
            let own = Executor()
            ExecutorPreference.with(own) { #expect(ExecutorPreference.current as? Executor === own) }
            #expect(ExecutorPreference.current as? Executor !== executor)
          }
        }
      }
    }
  }
}
