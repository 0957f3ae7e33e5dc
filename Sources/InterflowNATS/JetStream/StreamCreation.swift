import CNATS
import Foundation

extension NATSConnection {
  /// Creates a stream, unless one with the same settings exists.
  ///
  /// - Parameter configured: Calls a closure with the stream's settings.
  func createStream(
    while operation: String,
    _ configured: @escaping @Sendable ((inout jsStreamConfig) -> Result<Void, NATSError>) -> Result<Void, NATSError>
  ) async throws(NATSError) {
    let end = ContinuousClock.now + requestTimeout
    try await waitForCall(within: requestTimeout, while: operation) { (wait: CallWait<Void>) in
      queue.start { [context] in
        if wait.isOver { return }
        let creation = StreamCreation(context: context, end: end) { !wait.isOver }
        wait.end(.success(configured { creation.run(&$0, while: operation) }))
      }
    }
  }
}

/// The creation of a stream that other programs may create at the same moment. Its calls block.
private struct StreamCreation {
  private static let firstWait = Duration.seconds(1)
  /// For so long a server has to say that there is no stream, until it is believed that none is being created.
  private static let absence = Duration.seconds(1)
  private static let pause = Duration.milliseconds(100)

  let context: JetStreamContext
  let end: ContinuousClock.Instant
  /// Whether the caller still waits.
  let isWanted: () -> Bool

  func run(_ configuration: inout jsStreamConfig, while operation: String) -> Result<Void, NATSError> {
    var (status, code) = (NATS_TIMEOUT, jsErrCode(0))
    var wait = Self.firstWait
    var hasOverlapped = false
    repeat {
      guard var options = options(wait) else { break }
      code = jsErrCode(0)
      status = js_AddStream(nil, context.pointer, &configuration, &options, &code)
      if code == JSStreamSubjectOverlapErr, !hasOverlapped {
        // Servers of version 2.9 also say so of the very stream, while another connection creates it. Where it is true, they
        // say it again.
        hasOverlapped = true
        continue
      }
      if status != NATS_TIMEOUT { break }
      // The answer may be lost, as while a cluster has no leader. Clusters of version 2.9 also lose it where another
      // connection creates the stream meanwhile, so this one must not be sent again before that is over.
      if let name = configuration.Name { awaitStream(name) }
      // What is left of a usual time limit.
      wait *= 4
    } while isWanted()
    return status == NATS_OK ? .success(()) : .failure(NATSError(status, jetStream: code, while: operation))
  }

  /// Waits until a server knows the stream, or none can be expected to.
  private func awaitStream(_ name: UnsafePointer<CChar>) {
    var waits: [Duration] = [.seconds(1), .milliseconds(500), .milliseconds(250)]
    var missing: ContinuousClock.Instant?
    while isWanted(), let wait = waits.last, var options = options(wait) {
      var (information, code): (UnsafeMutablePointer<jsStreamInfo>?, jsErrCode) = (nil, jsErrCode(0))
      let status = js_GetStreamInfo(&information, context.pointer, name, &options, &code)
      jsStreamInfo_Destroy(information)
      if code == JSStreamNotFoundErr {
        let first = missing ?? .now
        missing = first
        if first.duration(to: .now) >= Self.absence { return }
        Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
      } else if status == NATS_TIMEOUT {
        waits.removeLast()
      } else {
        return
      }
    }
  }

  /// Options for a request that waits for its answer, but not longer than until the end.
  private func options(_ wait: Duration) -> jsOptions? {
    let rest = ContinuousClock.now.duration(to: end)
    guard rest > .zero else { return nil }
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Wait = min(wait, rest).milliseconds
    return options
  }
}
