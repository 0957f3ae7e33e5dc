#if INTERFLOW_FOUNDATION
  import Combine
  import Foundation
  import InterflowTestSupport
  import InterflowTesting
  import Testing

  @Suite struct DecodeTests {
    @Test func valuesAreDecoded() {
      let decoded: Publishers.Decode<Publishers.Sequence<[String], Never>, Int, TextCoder> =
        ["#1", "#2"].publisher.decode(type: Int.self, decoder: TextCoder())
      #expect(decoded.recorded().log == ["1", "2", "finished"])
    }

    @Test func errorCancelsUpstreamAndEndsTheStream() {
      let source = TestPublisher<String, TestError>(keepsSubscribers: true)
      let recorder = source.decode(type: Int.self, decoder: TextCoder()).recorded(demand: .max(3))
      #expect(recorder.subscriptionNames == ["Decode"])
      #expect(source.requests == [.max(3)])
      recorder.onCompletion = { _ in #expect(source.cancellations.count == 1) }
      source.send("#1")
      source.send("x")
      source.send("#2")
      #expect(recorder.log == ["1", "cannot decode x"])
      #expect(source.cancellations.count == 1)
    }

    @Test func upstreamsFailurePasses() {
      let recorder = Fail<Data, TestError>(error: TestError()).decode(type: Int.self, decoder: JSONDecoder())
        .recorded(demand: .none)
      #expect(recorder.log == ["test error"])
    }

    @Test func badJSONIsAnErrorOfTheDecoder() {
      let recorder = Just(Data("[1".utf8)).decode(type: [Int].self, decoder: JSONDecoder()).recorded()
      #expect(recorder.error is DecodingError)
      #expect(recorder.values.isEmpty)
    }
  }
#endif
