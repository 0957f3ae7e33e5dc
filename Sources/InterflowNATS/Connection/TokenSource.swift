import Foundation
import InterflowPrimitives

/// Tokens that a program gives for each connection.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class TokenSource: @unchecked Sendable {
  private let token: @Sendable () -> String
  private let lock = Lock()
  /// The last one, which the library reads when it has been returned, and does not release.
  private var text: UnsafeMutablePointer<CChar>?
  private var failure: NATSError?

  init(_ token: @escaping @Sendable () -> String) {
    self.token = token
  }

  deinit {
    free(text)
  }

  /// Why the last token cannot be sent; `nil` where it can.
  var error: NATSError? {
    lock.lock()
    defer { lock.unlock() }
    return failure
  }

  /// Called on a background thread, one time after the other.
  ///
  /// - Returns: `nil` where the token cannot be sent: the server decides about a client that has none.
  func next() -> UnsafePointer<CChar>? {
    let token = token()
    let result = Result { () throws(NATSError) in try ConnectCommand.text(token, of: "a token") }
    let next = (try? result.get()).flatMap { strdup($0) }
    lock.lock()
    let last = text
    text = next
    if case .failure(let error) = result { failure = error } else { failure = nil }
    lock.unlock()
    free(last)
    return UnsafePointer(next)
  }
}
