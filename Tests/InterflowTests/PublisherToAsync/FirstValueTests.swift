import Interflow
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct FirstValueTests {
  @Test func firstValueCancelsTheRest() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    publisher.onRequest = { _ in for value in 1...3 { publisher.send(value) } }
    #expect(await publisher.firstValue() == 1)
    #expect(publisher.requests == [.max(1)])
    #expect(publisher.cancellations.count == 1)
  }

  @Test func emptyPublisherGivesNil() async {
    #expect(await Empty<Int, Never>().firstValue() == nil)
  }

  @Test func failureKeepsItsType() async {
    do throws(TestError) {
      _ = try await Fail<Int, TestError>(error: TestError("typed")).firstValue()
      Issue.record("the failure is lost")
    } catch {
      #expect(error.name == "typed")
    }
  }

  @Test func cancelledTaskCancelsAndGivesNil() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let task = Task { await publisher.firstValue() }
    await until { publisher.requests.count == 1 }
    task.cancel()
    #expect(await task.value == nil)
    #expect(publisher.cancellations.count == 1)
  }

  @Test func waitsForAValueFromElsewhere() async {
    let publisher = TestPublisher<Int, Never>(keepsSubscribers: true)
    let task = Task { await publisher.firstValue() }
    await until { publisher.requests.count == 1 }
    publisher.send(4)
    #expect(await task.value == 4)
    #expect(publisher.cancellations.count == 1)
  }
}
