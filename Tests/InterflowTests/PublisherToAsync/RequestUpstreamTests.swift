#if INTERFLOW_FOUNDATION_NETWORKING
  import Foundation
  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif
  import Interflow
  import InterflowTestSupport
  import Testing

  /// The publisher of a request as upstream of the sequences.
  @Suite struct RequestUpstreamTests {
    private static let session: URLSession = {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.protocolClasses = [EchoProtocol.self]
      return URLSession(configuration: configuration)
    }()

    @Test func requestThroughBoth() async throws {
      let url = URL(string: "echo://host/answer")!
      for try await (data, response) in Self.session.dataTaskPublisher(for: url).asyncValues {
        #expect(String(decoding: data, as: UTF8.self) == "/answer")
        #expect(response.url == url)
      }
      let stream = Self.session.dataTaskPublisher(for: url).map { String(decoding: $0.data, as: UTF8.self) }
        .asyncStream()
      #expect(await collect(stream).values == ["/answer"])
      #expect(try await Self.session.dataTaskPublisher(for: url).firstValue()?.data.count == 7)
    }

    @Test func failureOfARequestIsAURLError() async {
      let publisher = Self.session.dataTaskPublisher(for: URL(string: "echo://host/fails")!)
      do throws(URLError) {
        for try await _ in publisher.asyncValues {}
        Issue.record("the failure is lost")
      } catch {
        #expect(error.code == .cannotConnectToHost)
      }
    }
  }

  /// Answers a request with the path that was asked for.
  private final class EchoProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "echo" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      let url = request.url!
      if url.path == "/fails" {
        client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
        return
      }
      let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data(url.path.utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }
#endif
