import Combine
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Deferred")
struct DeferredTests {
  @Test func makesAPublisherForEachSubscriberAndNotBefore() {
    var made = 0
    let deferred = Deferred {
      made += 1
      return Just(made)
    }
    #expect(made == 0)
    let recorders = [RecordingSubscriber<Int, Never>(), RecordingSubscriber<Int, Never>()]
    for recorder in recorders { deferred.subscribe(recorder) }
    #expect(recorders[0].log == ["1", "finished"])
    #expect(recorders[1].log == ["2", "finished"])
    #expect(recorders[0].subscriptionNames == ["Just"])
  }

  @Test func failuresPassThrough() {
    let recorder = RecordingSubscriber<Int, TestError>()
    Deferred { Fail<Int, TestError>(error: TestError()) }.subscribe(recorder)
    #expect(recorder.log == ["test error"])
  }
}
