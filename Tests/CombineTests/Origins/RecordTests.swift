import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite("Record")
struct RecordTests {
  typealias IntRecord = Record<Int, TestError>

  @Test func playsBackFromTheBeginningForEachSubscriber() {
    let record = IntRecord(output: [1, 2], completion: .failure(TestError()))
    for _ in 0..<2 {
      let recorder = RecordingSubscriber<Int, TestError>()
      record.subscribe(recorder)
      #expect(recorder.log == ["1", "2", "test error"])
    }
  }

  @Test func keepsToDemandAndEndsRightAfterTheLastValue() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(1))
    IntRecord(output: [1, 2], completion: .finished).subscribe(recorder)
    #expect(recorder.log == ["1"])
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2", "finished"])
  }

  @Test func anEmptyRecordEndsWithoutDemand() {
    let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
    IntRecord(output: [], completion: .failure(TestError())).subscribe(recorder)
    #expect(recorder.subscriptionNames == ["Empty"])
    #expect(recorder.log == ["test error"])
  }

  @Test func recordsWhatAClosureReceives() {
    let record = IntRecord { recording in
      recording.receive(1)
      recording.receive(2)
      recording.receive(completion: .failure(TestError()))
    }
    #expect(record.recording.output == [1, 2])
    #expect(record.recording.completion == .failure(TestError()))
    #expect(IntRecord { _ in }.recording.completion == .finished)
    #expect(IntRecord.Recording(output: [3]).completion == .finished)
  }

  @Test func codesItsRecording() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let record = IntRecord(output: [1, 2], completion: .failure(TestError("a")))
    let data = try encoder.encode(record)
    #expect(
      String(decoding: data, as: UTF8.self)
        == #"{"recording":{"completion":{"error":{"name":"a"},"success":false},"output":[1,2]}}"#)
    let decoded = try JSONDecoder().decode(IntRecord.self, from: data)
    #expect(decoded.recording.output == [1, 2])
    #expect(decoded.recording.completion == .failure(TestError("a")))
  }

  @Test func aDecodedRecordingIsComplete() async {
    await #expect(processExitsWith: .failure) {
      let data = try JSONEncoder().encode(IntRecord.Recording(output: [1]))
      var recording = try JSONDecoder().decode(IntRecord.Recording.self, from: data)
      recording.receive(2)
    }
  }

  @Test func isDescribedByItsValuesUntilTheEnd() {
    for ending in ["completion", "cancellation"] {
      let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
      IntRecord(output: [1, 2], completion: .finished).subscribe(recorder)
      #expect(recorder.subscriptionNames == ["[1, 2]"])
      if ending == "completion" { recorder.request(.unlimited) } else { recorder.cancel() }
      #expect(recorder.subscription.map { "\($0)" } == "Cancelled Events")
    }
  }

  @Test func nothingCanBeReceivedAfterTheCompletion() async {
    await #expect(processExitsWith: .failure) {
      _ = IntRecord { recording in
        recording.receive(completion: .finished)
        recording.receive(1)
      }
    }
    await #expect(processExitsWith: .failure) {
      var recording = IntRecord.Recording()
      recording.receive(completion: .finished)
      recording.receive(completion: .failure(TestError()))
    }
  }

  @Test func aRecordingMadeOfValuesTakesMore() {
    var recording = IntRecord.Recording(output: [1], completion: .finished)
    recording.receive(2)
    recording.receive(completion: .failure(TestError()))
    #expect(recording.output == [1, 2])
    #expect(recording.completion == .failure(TestError()))
  }
}
