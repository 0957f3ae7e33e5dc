#if INTERFLOW_FOUNDATION_NETWORKING && !canImport(Darwin) && !os(Windows)
  import Foundation
  import InterflowPrimitives

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// The response of a transfer, for which one caller waits. It is set once: by the response, a failure or a
  /// cancellation.
  final class TransferHead: @unchecked Sendable {  // `lock` guards all variables.
    typealias Outcome = Result<URLResponse, any Error>

    private let lock = Lock()
    private var outcome: Outcome?
    private var waiter: CheckedContinuation<URLResponse, any Error>?

    /// Sets the response, or why there is none. Only the first call counts.
    func resolve(_ outcome: Outcome) {
      lock.lock()
      if self.outcome == nil { self.outcome = outcome }
      let waiter = self.waiter.take()
      lock.unlock()
      waiter?.resume(with: outcome)
    }

    /// Waits for the response. May be called once.
    func value(isolation: isolated (any Actor)?) async throws -> URLResponse {
      try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
        lock.lock()
        let outcome = self.outcome
        if outcome == nil { waiter = continuation }
        lock.unlock()
        if let outcome { continuation.resume(with: outcome) }
      }
    }
  }
#endif
