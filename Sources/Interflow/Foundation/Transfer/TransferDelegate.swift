#if INTERFLOW_FOUNDATION_NETWORKING && !canImport(Darwin) && !os(Windows)
  import Foundation
  import InterflowPrimitives

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// The delegate of a transfer's own session. It forwards calls to the delegate of the user.
  final class TransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // The session calls one method at a time, which protects the variables.

    typealias Inbox = AsyncInbox<Data, any Error, TransferControl>

    let head = TransferHead()
    let inbox = Inbox(AsyncInboxStateMachine(capacity: .max, keepsOldest: true))
    private let session: URLSession
    private let observer: (any URLSessionTaskDelegate)?
    /// The task that the user sees. Set before the transfer starts.
    var task: URLSessionTask?
    /// Records the end of the transfer. Set before the transfer starts.
    var control: TransferControl?
    /// A response that requires credentials: another one may follow if there are any.
    private var challengeResponse: (response: URLResponse, body: [Data])?
    /// Whether the response is complete, however the task ends.
    private var isComplete = false

    init(session: URLSession, delegate: (any URLSessionTaskDelegate)?) {
      self.session = session
      observer = delegate ?? session.delegate as? any URLSessionTaskDelegate
    }

    /// Calls the user's delegate on the queue of the user's session.
    private func notify(_ body: @escaping (any URLSessionTaskDelegate, URLSession, URLSessionTask) -> Void) {
      guard let observer, let task else { return }
      // The arguments come from Foundation, which passes them to another queue, too.
      let call = UncheckedTransfer(body)
      session.delegateQueue.addOperation { [session] in call.value(observer, session, task) }
    }

    // MARK: The response

    func urlSession(
      _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      if (response as? HTTPURLResponse)?.statusCode == 401 {
        challengeResponse = (response, [])
      } else {
        challengeResponse = nil
        head.resolve(.success(response))
      }
      completionHandler(.allow)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      if challengeResponse == nil { inbox.receive(data) } else { challengeResponse?.body.append(data) }
    }

    func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let error = isComplete ? nil : error
      if let error {
        control?.fail(error)
        head.resolve(.failure(error))
      } else {
        complete()
      }
      inbox.complete(error)
      notify { observer, session, task in observer.urlSession(session, task: task, didCompleteWithError: error) }
    }

    /// The response is complete.
    private func complete() {
      if let (response, body) = challengeResponse {
        challengeResponse = nil
        head.resolve(.success(response))
        for data in body { inbox.receive(data) }
      }
      // Without effect if there was a response.
      head.resolve(.failure(URLError(.badServerResponse)))
      control?.finish()
      inbox.complete(nil)
      isComplete = true
    }

    // MARK: Decisions of the user's delegate

    func urlSession(
      _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      guard observer != nil else { return completionHandler(request) }
      notify { observer, session, task in
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
          // Foundation would wait for credentials forever. Without any, the challenge is the response.
          own.delegateQueue.addOperation {
            self.complete()
            completionHandler(.cancelAuthenticationChallenge, nil)
          }
        }
      }
      guard observer != nil else { return decide(.performDefaultHandling, nil) }
      notify { observer, session, task in
        observer.urlSession(session, task: task, didReceive: challenge, completionHandler: decide)
      }
    }

    func urlSession(
      _: URLSession, task _: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      guard observer != nil else { return completionHandler(nil) }
      notify { observer, session, task in
        observer.urlSession(session, task: task, needNewBodyStream: completionHandler)
      }
    }

    // MARK: Calls forwarded to the user's delegate

    func urlSession(
      _: URLSession, task _: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
      totalBytesExpectedToSend: Int64
    ) {
      notify { observer, session, task in
        observer.urlSession(
          session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
          totalBytesExpectedToSend: totalBytesExpectedToSend)
      }
    }

    func urlSession(_: URLSession, task _: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      notify { observer, session, task in observer.urlSession(session, task: task, didFinishCollecting: metrics) }
    }
  }
#endif
