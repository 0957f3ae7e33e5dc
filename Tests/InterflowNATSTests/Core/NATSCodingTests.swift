@testable import InterflowNATS
import Foundation
import Testing

@Suite struct NATSCodingTests {
  private struct Order: Codable {
    var prices: [String: [Double]]
  }

  /// Keys of a type that is no dictionary, and may be data nonetheless.
  private struct Open: Codable {
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      for key in container.allKeys { _ = try container.decode(Int.self, forKey: key) }
    }

    func encode(to encoder: any Encoder) throws {}
  }

  private func message<Value: Codable & Sendable>(decoding text: String, _ type: Value.Type) -> String? {
    do throws(NATSError) {
      _ = try NATSCoding<Value>.json.value(of: Data(text.utf8), while: "a test")
      return nil
    } catch {
      return error.message
    }
  }

  @Test func errorsNameThePropertiesAndNoKeysThatAreData() {
    let order = message(decoding: #"{"prices":{"secret":[1,"x"]}}"#, Order.self)
    #expect(order?.hasSuffix(", at “prices.*.*”") == true)
    #expect(message(decoding: #"{"secret":"x"}"#, [String: Int].self)?.hasSuffix(", at “*”") == true)
    #expect(message(decoding: #"{"4711":"x"}"#, [Int: Int].self)?.contains("4711") == false)
    #expect(message(decoding: #"{"secret":"x"}"#, Open.self)?.hasSuffix(", at “*”") == true)
    let encoded = #expect(throws: NATSError.self) {
      try NATSCoding.json.bytes(of: Order(prices: ["secret": [.infinity]]), while: "a test")
    }
    #expect(encoded?.message.hasSuffix(", at “prices.*.*”") == true)
  }
}
