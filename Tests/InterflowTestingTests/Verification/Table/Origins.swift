import Foundation
import InterflowTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where streams begin.
let origins: [VerificationRow] = [
  VerificationRow("Just", "", .always) { _ in PublisherUnderTest(Just(1)) },
  VerificationRow("Empty", "", empty) { _ in PublisherUnderTest(Empty<Int, Never>()) },
  VerificationRow(
    "Fail", "", onlyFailing, failing: { PublisherUnderTest(Fail<Int, Broken>(error: Broken())) },
    make: { _ in PublisherUnderTest(Fail<Int, Broken>(error: Broken())) }),
  VerificationRow("Deferred", failing: { PublisherUnderTest(Deferred { Fail<Int, Broken>(error: Broken()) }) }) {
    count in PublisherUnderTest(Deferred { (0..<count).publisher })
  },
  VerificationRow(
    "Record", failing: { PublisherUnderTest(Record<Int, Broken>(output: [], completion: .failure(Broken()))) }
  ) { count in PublisherUnderTest(Record<Int, Broken>(output: Array(0..<count), completion: .finished)) },
  VerificationRow("Publishers.Sequence") { count in PublisherUnderTest((0..<count).publisher) },
  VerificationRow("Publishers.Sequence", "of a sequence of one pass") { count in
    PublisherUnderTest(sequence(first: 0) { $0 + 1 }.prefix(count).publisher)
  },
  VerificationRow("Optional.Publisher", "", .single) { count in
    PublisherUnderTest((count == 0 ? nil : 1 as Int?).publisher)
  },
  VerificationRow(
    "Result.Publisher", "", .always,
    failing: { PublisherUnderTest(Result<Int, Broken>.failure(Broken()).publisher) },
    make: { _ in PublisherUnderTest(Result<Int, Broken>.success(1).publisher) }),
  VerificationRow("AnyPublisher") { count in PublisherUnderTest((0..<count).publisher.eraseToAnyPublisher()) },
  VerificationRow(
    "Future", "kept before", .always,
    failing: { PublisherUnderTest(Future<Int, Broken> { $0(.failure(Broken())) }) },
    make: { _ in PublisherUnderTest(Future<Int, Broken> { $0(.success(1)) }) }),
  VerificationRow("Future", "kept later", .always, failing: { future(.failure(Broken())) }) { _ in
    future(.success(1))
  },
  VerificationRow("Future", "kept by a task", .always) { _ in
    PublisherUnderTest(Future<Int, Broken> { promise in Task { promise(.success(1)) } })
  },
  VerificationRow("NotificationCenter.Publisher", "", endless) { count in
    let (center, name) = (NotificationCenter(), Notification.Name("number"))
    let posting = Sending(center)
    return PublisherUnderTest(center.publisher(for: name)) {
      for _ in 0..<count { posting.value.post(name: name, object: nil) }
    }
  },
  VerificationRow("Timer.TimerPublisher", "", timed) { _ in
    let timer = Timer.publish(every: 0.001, on: .main, in: .common)
    let connecting = Sending(timer)
    return PublisherUnderTest(timer) { _ = connecting.value.connect() }
  },
  VerificationRow(
    "URLSession.DataTaskPublisher", "",
    .always.adding([.failureNeedsNoDemand: "the request is made when a value is asked for"]),
    failing: { PublisherUnderTest(answer(failing: true)) },
    make: { _ in PublisherUnderTest(answer()) }),
  VerificationRow(
    "AsyncSequencePublisher", "",
    .exempting([.completionNeedsNoDemand: "nothing is pulled from the sequence before there is demand"])
  ) { count in PublisherUnderTest(AsyncNumbers(count: count).publisher) },
  VerificationRow(
    "ObservationPublisher", "", firstReading, failing: { PublisherUnderTest(ObservationPublisher(broken)) }
  ) { _ in PublisherUnderTest(ObservationPublisher { () throws(Broken) in 1 }) },
]

private let empty: Facts = {
  var facts = Facts()
  facts.maximum = 0
  return facts
}()

/// For a publisher that does nothing but fail.
private let onlyFailing: Facts = {
  var facts = Facts()
  facts.rules = [.failureNeedsNoDemand, .failureEndsTheStream, .releasedAfterFailure]
  return facts
}()

/// For a publisher that drops what nobody asks for, and never completes.
let endless: Facts = {
  var facts = Facts.dropping
  facts.completes = false
  return facts
}()

private let timed: Facts = {
  var facts = endless
  // A tick each millisecond would take too long for the rules that take a thousand.
  facts.manyElements = 0
  return facts
}()

/// For a publisher of what never changes: one reading, when it is asked for, and no completion.
private let firstReading: Facts = {
  var facts = Facts.single
  facts.completes = false
  facts.exemptions[.failureNeedsNoDemand] = "nothing is read before there is demand"
  return facts
}()

private let broken: @Sendable () throws(Broken) -> Int = { () throws(Broken) in throw Broken() }

private func future(_ result: Result<Int, Broken>) -> PublisherUnderTest {
  var promise: Future<Int, Broken>.Promise?
  let future = Future<Int, Broken> { promise = $0 }
  let kept = Sending(promise)
  return PublisherUnderTest(future) { kept.value?(result) }
}

private func answer(failing: Bool = false) -> URLSession.DataTaskPublisher {
  let path = failing ? "failure" : "answer"
  return stubbedSession.dataTaskPublisher(for: URL(string: "stub://\(path)")!)
}

private let stubbedSession: URLSession = {
  let configuration = URLSessionConfiguration.ephemeral
  configuration.protocolClasses = [StubbedProtocol.self]
  return URLSession(configuration: configuration)
}()

/// Answers without a network.
private final class StubbedProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "stub" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url, url.host == "answer" else {
      client?.urlProtocol(self, didFailWithError: URLError(.cannotFindHost))
      return
    }
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data([1]))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}
