import Combine
import Foundation
@testable import InterflowNATS
import InterflowTestSupport
import Testing

/// Peers whose answers are not what a server says.
@Suite struct NATSHostilePeerTests {
  private var options: NATSOptions {
    var options = NATSOptions.patient
    // Some answers are none for the client, which waits until its time-out.
    options.requestTimeout = .seconds(1)
    return options
  }

  @Test(arguments: ["{}", "", "null", "[]", "{\"config\":null}", "{\"config\":{}}", "{\"config\":[]}", "\u{0}"])
  func anAnswerThatSaysNothingIsAnError(answer: String) async throws {
    let server = try FakeServer { _ in [FakeServer.Answer(answer)] }
    defer { server.close() }
    let connection = try await NATSConnection(urls: [server.url], options: options)
    _ = try? await NATSStream<Int>(connection, existing: "NUMBERS")
    let stream = try? await NATSStream<Int>(connection, "NUMBERS")
    _ = try? await stream?.state()
    _ = try? await stream?.state(ofConsumer: "reader")
    _ = try? await stream?.send(1)
    _ = try? await NATSValue<Int>(connection, bucket: "bucket", key: "key")
    // The process goes on, and so does the connection.
    while await natsError({ try await connection.flush() })?.kind == .timeout {}
    await connection.close()
  }

  @Test(arguments: ["9223372036854775807", "18446744073709551615", "-1", "0", "1e300"])
  func aServerMayAllowMessagesOfAnySize(size: String) async throws {
    let information = FakeServer.information.replacing("1048576", with: size)
    let server = try FakeServer(information: information)
    defer { server.close() }
    if let connection = try? await NATSConnection(urls: [server.url], options: options) {
      #expect(connection.maxPayload >= 0)
      await connection.close()
    }
  }
}
