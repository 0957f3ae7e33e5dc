import Testing

@testable import InterflowTracing

@Suite struct TraceRequestTests {
  private func parse(_ text: String) -> TraceRequest.Parsed { TraceRequest.parse(Array(text.utf8)) }

  @Test func aRequestIsParsed() {
    #expect(
      parse("GET /token/ HTTP/1.1\r\nHost:  127.0.0.1:80 \r\nAccept: a:b\r\n\r\n")
        == .request(TraceRequest(method: "GET", path: "/token/", host: "127.0.0.1:80")))
    #expect(parse("GET / HTTP/1.0\r\n\r\n") == .request(TraceRequest(method: "GET", path: "/", host: nil)))
  }

  @Test func moreHasToArrive() {
    for text in ["", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n"] {
      #expect(parse(text) == .incomplete)
    }
  }

  @Test(arguments: [
    "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/2\r\n\r\n", "\r\n\r\n",
    "GET / HTTP/1.1\r\nno colon\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n",
  ])
  func whatIsNoRequest(text: String) { #expect(parse(text) == .invalid) }

  @Test func aRequestWithoutEnd() {
    #expect(parse(String(repeating: "x", count: TraceRequest.limit)) == .invalid)
    #expect(parse(String(repeating: "x", count: TraceRequest.limit - 1)) == .incomplete)
  }

  @Test func aRequestMayArriveByteByByte() {
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    for count in 1..<bytes.count {
      #expect(TraceRequest.parse(Array(bytes[..<count]), withoutEndBefore: count - 1) == .incomplete)
      #expect(TraceRequest.parse(bytes, withoutEndBefore: count) == TraceRequest.parse(bytes))
    }
    #expect(TraceRequest.parse(bytes, withoutEndBefore: bytes.count) != .invalid)
  }

  @Test func bytesAtRandomDoNoHarm() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<1_000 {
      let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
        // Mostly what could belong to a request.
        Array("GET /:\r\n HTTP1.\u{0}".utf8).randomElement(using: &random)!
      }
      _ = TraceRequest.parse(bytes)
    }
  }

  @Test func textsAreCompared() {
    #expect(areSame("abc", "abc"))
    #expect(!areSame("abc", "abd"))
    #expect(!areSame("abc", "ab"))
    #expect(areSame("", ""))
  }
}
