import Interflow
import InterflowTestSupport
import Testing

/// A buffering policy is for what comes while as many values are worked on as may be, and for nothing else.
@Suite struct TaskBufferingTests {
  @Test func whatComesAtOnceFindsTheFreePlaces() async {
    let results = Shared<[Int]>([])
    let cancellable = [1, 2, 3, 4].publisher
      .task(maxPublishers: .max(4), buffering: .bufferingOldest(0)) { $0 * 2 }
      .sink { result in results.update { $0.append(result) } }
    await until { results.value.count == 4 }
    #expect(results.value.sorted() == [2, 4, 6, 8])
    cancellable.cancel()
  }

  @Test func valueAtHandIsWorkedOnWhereNoneMayWait() async {
    let results = Shared<[Int]>([])
    let subject = CurrentValueSubject<Int, Never>(1)
    let cancellable = subject.sink(maxTasks: 1, buffering: .bufferingNewest(0)) { value in
      results.update { $0.append(value) }
    }
    await until { !results.value.isEmpty }
    #expect(results.value == [1])
    cancellable.cancel()
  }
}
