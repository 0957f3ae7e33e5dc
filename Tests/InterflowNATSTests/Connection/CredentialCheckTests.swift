@testable import InterflowNATS
import Testing

@Suite struct CredentialCheckTests {
  private func options(_ reconnection: NATSOptions.Reconnection) -> NATSOptions {
    var options = NATSOptions()
    options.reconnection = reconnection
    return options
  }

  @Test func whereServersAreNotTriedForEverThereIsNone() {
    #expect(CredentialCheck(options(.never), urls: []) == nil)
    #expect(CredentialCheck(options(.attempts(5)), urls: []) == nil)
    #expect(CredentialCheck(options(.always(pause: .seconds(3))), urls: [])?.pause == .seconds(3))
  }

  @Test(
    arguments: [
      ("nats://one:4222", "nats://anna:a@b@one"), ("nats://two:4223", "tls://bert:secret@two:4223"),
      // Of which another server has told.
      ("nats://three:4222", "nats://anna:a@b@three:4222"), ("nats://[::1]:4222", "carl:x@[::1]:4222"),
    ])
  func aServerIsAskedWithItsOwnUserOrWithTheFirst(address: String, url: String) throws {
    let urls = ["nats://anna:a@b@one", "tls://bert:secret@two:4223", "carl:x@[::1]:4222", "nats://four:1"]
    let check = try #require(CredentialCheck(options(.always()), urls: urls))
    #expect(check.url(of: address) == url)
    #expect(check.url(of: "nats://four:1") == "nats://four:1")
  }

  @Test func whereTheOptionsHaveCredentialsNoOtherUserIsTaken() throws {
    var options = options(.always())
    options.credentials = .token("right")
    let check = try #require(CredentialCheck(options, urls: ["nats://anna:secret@one:4222"]))
    #expect(check.url(of: "nats://two:4222") == "nats://two:4222")
  }
}
