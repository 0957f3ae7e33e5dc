#if !canImport(Darwin) && !os(Windows)
  import Foundation
  import InterflowPrimitives

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// The response of a transfer, which one caller waits for; what comes first decides.
  final class TransferHead: @unchecked Sendable {  // `lock` guards everything mutable.
    typealias Outcome = Result<URLResponse, any Error>

    private let lock = Lock()
    private var outcome: Outcome?
    private var waiter: CheckedContinuation<URLResponse, any Error>?

    /// Announces the response, or why there is none. Only the first announcement counts.
    func announce(_ outcome: Outcome) {
      lock.lock()
      if self.outcome == nil { self.outcome = outcome }
      let waiter = self.waiter.take()
      lock.unlock()
      waiter?.resume(with: outcome)
    }

    /// Waits for the announcement. May be called once.
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
