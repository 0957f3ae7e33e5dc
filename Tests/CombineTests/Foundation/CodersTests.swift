#if INTERFLOW_FOUNDATION
  import Combine
  import Foundation
  import InterflowTestSupport
  import InterflowTesting
  import Testing

  @Suite("Foundation's coders")
  struct CodersTests {
    struct Item: Codable, Equatable {
      var name: String
      var sizes: [Int]
    }

    let items = [Item(name: "a", sizes: [1, 2]), Item(name: "", sizes: [])]

    /// Everything that a publisher at hand delivers.
    func results<P: Publisher>(of publisher: P) -> RecordingSubscriber<P.Output, P.Failure> { publisher.recorded() }

    func roundTrip<E: TopLevelEncoder, D: TopLevelDecoder>(_ encoder: E, _ decoder: D) -> [Item]
    where E.Output == Data, D.Input == Data {
      let recorder = results(
        of: items.publisher.encode(encoder: encoder).decode(type: Item.self, decoder: decoder))
      #expect(recorder.isFinished)
      return recorder.values
    }

    @Test func valuesComeBackAsTheyWent() {
      #expect(roundTrip(JSONEncoder(), JSONDecoder()) == items)
      #expect(roundTrip(PropertyListEncoder(), PropertyListDecoder()) == items)
    }

    @Test func theCodersSettingsCount() throws {
      let json = JSONEncoder()
      json.outputFormatting = [.sortedKeys]
      let text = results(of: Just(items[0]).encode(encoder: json).map { String(decoding: $0, as: UTF8.self) })
      #expect(text.values == [#"{"name":"a","sizes":[1,2]}"#])

      let list = PropertyListEncoder()
      list.outputFormat = .xml
      let xml = results(of: Just(items[0]).encode(encoder: list).map { String(decoding: $0, as: UTF8.self) })
      #expect(try #require(xml.values.first).contains("<string>a</string>"))
    }

    @Test func whatCannotBeDecodedFails() {
      let json = results(
        of: [Data("{}".utf8), Data()].publisher.decode(type: Item.self, decoder: JSONDecoder()))
      #expect(json.values.isEmpty)
      #expect(json.error is DecodingError)
      let list = results(of: Just(Data("no".utf8)).decode(type: Item.self, decoder: PropertyListDecoder()))
      #expect(list.error is DecodingError)
    }

    @Test func whatCannotBeEncodedFails() {
      let json = results(of: [1, .infinity, 2].publisher.encode(encoder: JSONEncoder()))
      #expect(json.values == [Data("1".utf8)])
      #expect(json.error is EncodingError)
      let list = results(of: Just(1).encode(encoder: PropertyListEncoder()))
      #expect(list.error is EncodingError)
    }
  }
#endif
