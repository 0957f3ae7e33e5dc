import InterflowPrimitives
import Testing

@Suite struct TaskHomeTests {
  private final class Home: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { fatalError("nothing is started here") }
  }

  private func isCurrent(_ home: Home?) -> Bool { TaskHome.current as? Home === home }

  @Test func elsewhereThereIsNone() {
    #expect(TaskHome.current == nil)
  }

  @Test func homesNestAndEnd() {
    let (outer, inner) = (Home(), Home())
    TaskHome.with(outer) {
      #expect(isCurrent(outer))
      TaskHome.with(inner) { #expect(isCurrent(inner)) }
      #expect(isCurrent(outer))
    }
    #expect(isCurrent(nil))
  }

  @Test func aThrownErrorEndsIt() {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try TaskHome.with(Home()) { throw Stop() } }
    #expect(isCurrent(nil))
  }

  @Test func otherThreadsAreElsewhere() async {
    let home = Home()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<200 {
            let own = Home()
            TaskHome.with(own) { #expect(TaskHome.current as? Home === own) }
            #expect(TaskHome.current as? Home !== home)
          }
        }
      }
    }
  }
}
