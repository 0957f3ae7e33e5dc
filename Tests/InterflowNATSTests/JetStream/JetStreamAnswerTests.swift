import CNATS
import Foundation
@testable import InterflowNATS
import Testing

/// What JetStream answers to a request.
@Suite struct JetStreamAnswerTests {
  private struct Content: Decodable { let seq: Int }

  private func read(_ answer: String) throws -> Int {
    try JetStreamAnswer.read(Content.self, in: Data(answer.utf8), while: "a test").seq
  }

  private func kind(_ error: String) async -> NATSError.Kind? {
    // An answer that says an error may contain the rest, too.
    await natsError { _ = try read(#"{"error":\#(error),"seq":1}"#) }?.kind
  }

  @Test func whatIsAnsweredIsRead() throws {
    #expect(try read(#"{"seq":7}"#) == 7)
    #expect(try read(#"{"seq":7,"error":null}"#) == 7)
  }

  @Test func aServerThatIsOverloadedIsUnavailable() async {
    #expect(await kind(#"{"code":429,"err_code":10167,"description":"too many requests"}"#) == .unavailable)
    // Where a receipt is read, the library has the second number alone.
    #expect(NATSError.Kind(NATS_ERR, jetStream: jsErrCode(10_167)) == .unavailable)
  }

  @Test func aCodeThatIsNotKnownIsOfTheStatus() async {
    #expect(await kind(#"{"code":429,"err_code":19999}"#) == .unavailable)
    #expect(await kind(#"{"code":503,"err_code":19999}"#) == .unavailable)
    #expect(await kind(#"{"code":503}"#) == .unavailable)
    #expect(await kind(#"{"code":500,"err_code":19999}"#) == .other)
    #expect(await kind("{}") == .other)
  }

  @Test func aCodeThatIsKnownSaysMoreThanTheStatus() async {
    #expect(await kind(#"{"code":503,"err_code":10076}"#) == .jetStreamDisabled)
    #expect(await kind(#"{"code":503,"err_code":10077}"#) == .full)
  }

  @Test(arguments: ["", "[]", "null", "{}", #"{"seq":"x"}"#, #"{"error":"x"}"#])
  func anythingElseIsAnError(answer: String) async {
    #expect(await natsError { _ = try read(answer) }?.kind == .other)
  }
}
