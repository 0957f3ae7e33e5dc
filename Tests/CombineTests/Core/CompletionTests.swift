import Combine
import Foundation
import InterflowTestSupport
import Testing

@Suite("Completion")
struct CompletionTests {
  typealias Completion = Subscribers.Completion<TestError>

  @Test func equalCompletionsAreEqualAndHashAlike() {
    #expect(Completion.finished == .finished)
    #expect(Completion.finished != .failure(TestError()))
    #expect(Completion.failure(TestError("a")) == .failure(TestError("a")))
    #expect(Completion.failure(TestError("a")) != .failure(TestError("b")))
    #expect(Set([Completion.finished, .finished, .failure(TestError()), .failure(TestError())]).count == 2)
  }

  @Test func codesAsASuccessFlagAndTheError() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(Completion.finished), as: UTF8.self) == #"{"success":true}"#)
    #expect(
      String(decoding: try encoder.encode(Completion.failure(TestError("a"))), as: UTF8.self)
        == #"{"error":{"name":"a"},"success":false}"#)
    for completion in [Completion.finished, .failure(TestError("b"))] {
      #expect(try JSONDecoder().decode(Completion.self, from: encoder.encode(completion)) == completion)
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Completion.self, from: Data(#"{"success":false}"#.utf8))
    }
  }

  @Test func canBeHandedToATask() async {
    let completion = Completion.failure(TestError("crossing"))
    let crossed = await Task { completion }.value
    #expect(crossed == completion)
  }
}
