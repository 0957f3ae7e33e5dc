#if !canImport(Darwin) && !os(Windows)
  import Foundation
  import InterflowPrimitives

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Takes in what a session tells of a transfer, and passes on what its owner's delegate wants to know.
  final class TransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // The session calls one method at a time: that protects what is mutable.

    typealias Inbox = AsyncInbox<Data, any Error, TransferControl>

    let head = TransferHead()
    let inbox = Inbox(AsyncInboxStateMachine(capacity: .max, keepsOldest: true))
    private let session: URLSession
    private let observer: (any URLSessionTaskDelegate)?
    /// The task as the owner sees it. Set before the transfer starts.
    var task: URLSessionTask?
    /// Where the end is noted. Set before the transfer starts.
    var control: TransferControl?
    /// A response that requires credentials, until it is clear that there are none: another one may follow.
    private var withheld: (response: URLResponse, body: [Data])?
    /// The answer is whole, whatever becomes of the task.
    private var isSettled = false

    init(session: URLSession, delegate: (any URLSessionTaskDelegate)?) {
      self.session = session
      observer = delegate ?? session.delegate as? any URLSessionTaskDelegate
    }

    /// Calls the owner's delegate where its session would.
    private func tell(_ body: @escaping (any URLSessionTaskDelegate, URLSession, URLSessionTask) -> Void) {
      guard let observer, let task else { return }
      // What is told is Foundation's, which hands it over here, too.
      let call = UncheckedTransfer(body)
      session.delegateQueue.addOperation { [session] in call.value(observer, session, task) }
    }

    // MARK: The answer

    func urlSession(
      _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      if (response as? HTTPURLResponse)?.statusCode == 401 {
        withheld = (response, [])
      } else {
        withheld = nil
        head.announce(.success(response))
      }
      completionHandler(.allow)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      if withheld == nil { inbox.receive(data) } else { withheld?.body.append(data) }
    }

    func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let error = isSettled ? nil : error
      if let error {
        control?.fail(error)
        head.announce(.failure(error))
      } else {
        settle()
      }
      inbox.complete(error)
      tell { observer, session, task in observer.urlSession(session, task: task, didCompleteWithError: error) }
    }

    /// What has come is the whole answer.
    private func settle() {
      if let (response, body) = withheld {
        withheld = nil
        head.announce(.success(response))
        for data in body { inbox.receive(data) }
      }
      // Without effect if there was an answer.
      head.announce(.failure(URLError(.badServerResponse)))
      control?.finish()
      inbox.complete(nil)
      isSettled = true
    }

    // MARK: What the owner's delegate decides

    func urlSession(
      _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      guard observer != nil else { return completionHandler(request) }
      tell { observer, session, task in
        observer.urlSession(
          session, task: task, willPerformHTTPRedirection: response, newRequest: request,
          completionHandler: completionHandler)
      }
    }

    func urlSession(
      _ own: URLSession, task _: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let hasProposal = challenge.proposedCredential != nil && challenge.previousFailureCount == 0
      let decide: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = { disposition, credential in
        switch disposition {
        case .useCredential where credential != nil, .cancelAuthenticationChallenge:
          completionHandler(disposition, credential)
        case .performDefaultHandling where hasProposal:
          completionHandler(disposition, nil)
        default:
          // Foundation would wait for credentials for ever. Without any, the challenge is the answer.
          own.delegateQueue.addOperation {
            self.settle()
            completionHandler(.cancelAuthenticationChallenge, nil)
          }
        }
      }
      guard observer != nil else { return decide(.performDefaultHandling, nil) }
      tell { observer, session, task in
        observer.urlSession(session, task: task, didReceive: challenge, completionHandler: decide)
      }
    }

    func urlSession(
      _: URLSession, task _: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      guard observer != nil else { return completionHandler(nil) }
      tell { observer, session, task in
        observer.urlSession(session, task: task, needNewBodyStream: completionHandler)
      }
    }

    // MARK: Calls forwarded to the owner's delegate

    func urlSession(
      _: URLSession, task _: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
      totalBytesExpectedToSend: Int64
    ) {
      tell { observer, session, task in
        observer.urlSession(
          session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
          totalBytesExpectedToSend: totalBytesExpectedToSend)
      }
    }

    func urlSession(_: URLSession, task _: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      tell { observer, session, task in observer.urlSession(session, task: task, didFinishCollecting: metrics) }
    }
  }
#endif
