import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

/// A coder of whole numbers as text, which refuses anything else.
struct TextCoder: TopLevelEncoder, TopLevelDecoder {
  func encode<T: Encodable>(_ value: T) throws -> String {
    guard let number = value as? Int, number >= 0 else { throw TestError("cannot encode \(value)") }
    return "#\(number)"
  }

  func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    guard text.first == "#", let number = Int(text.dropFirst()) as? T else { throw TestError("cannot decode \(text)") }
    return number
  }
}

@Suite struct EncodeTests {
  private struct Point: Codable, Equatable {
    var x: Int
    var y: Int
  }

  @Test func valuesAreEncoded() {
    let encoded: Publishers.Encode<Publishers.Sequence<[Int], Never>, TextCoder> =
      [1, 2].publisher.encode(encoder: TextCoder())
    #expect(encoded.recorded().log == ["#1", "#2", "finished"])
  }

  @Test func errorCancelsUpstreamAndEndsTheStream() {
    let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
    let recorder = source.encode(encoder: TextCoder()).recorded()
    #expect(recorder.subscriptionNames == ["Encode"])
    recorder.onCompletion = { _ in #expect(source.cancellations.count == 1) }
    source.send(1)
    #expect(source.send(-1) == .none)
    source.send(2)
    source.send(completion: .finished)
    #expect(recorder.log == ["#1", "cannot encode -1"])
    #expect(source.cancellations.count == 1)
  }

  #if INTERFLOW_FOUNDATION
    @Test func jsonGoesThereAndBack() throws {
      let points = [Point(x: 1, y: 2), Point(x: 3, y: 4)]
      let recorder = points.publisher.encode(encoder: JSONEncoder()).decode(type: Point.self, decoder: JSONDecoder())
        .recorded()
      #expect(recorder.values == points)
      #expect(recorder.isFinished)
    }
  #endif

  @Test func keepsTheRules() {
    expectOperatorRules("Encode", earlyValue: .passes) { upstream, token in
      upstream.encode(encoder: TokenCoder(token: token))
    }
    expectOperatorRules("Decode", earlyValue: .passes) { upstream, token in
      upstream.decode(type: Int.self, decoder: TokenCoder(token: token))
    }
  }

  private struct TokenCoder: TopLevelEncoder, TopLevelDecoder {
    let token: LifetimeCounter.Token

    func encode<T: Encodable>(_ value: T) throws -> String { "\(value)" }

    func decode<T: Decodable>(_ type: T.Type, from number: Int) throws -> T {
      guard let value = number as? T else { throw TestError() }
      return value
    }
  }
}
