import InterflowNATS
import Testing

@Suite struct NATSOptionsTests {
  private func texts(_ value: some Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(reflecting: value), dumped, "\(Mirror(reflecting: value).children.map { "\($0)" })"]
  }

  @Test func nothingThatShowsOptionsShowsASecret() {
    let all: [NATSOptions.Credentials] = [
      .user("anna", password: "secret"), .token("secret"), .tokens({ "secret" }),
    ]
    for credentials in all {
      var options = NATSOptions()
      options.credentials = credentials
      let shown = texts(options) + texts(credentials) + texts(options.credentials) + texts([credentials])
      for text in shown { #expect(!text.contains("secret")) }
    }
  }

  @Test func credentialsSayWhatTheyAre() {
    #expect("\(NATSOptions.Credentials.user("anna", password: "secret"))" == "user “anna” with a password")
    #expect("\(NATSOptions.Credentials.token("secret"))" == "a token")
    #expect("\(NATSOptions.Credentials.tokens { "secret" })" == "tokens of a closure")
    #expect("\(NATSOptions.Credentials.file(path: "/file"))" == "the file “/file”")
    var options = NATSOptions()
    options.credentials = .user("anna", password: "secret")
    #expect("\(options)".contains("anna"))
  }
}
