import Foundation
import InterflowPrimitives

/// Whether there are other credentials than those that a server has refused.
///
/// The library gives a connection up when a server refuses it twice, one time after the other. So where credentials can
/// change, it tries again when they have.
///
/// `@unchecked Sendable`: `lock` guards `used`.
final class CredentialRenewal: @unchecked Sendable {
  /// How long to wait before servers are tried again.
  let pause: Duration
  private let current: @Sendable () -> Data?
  private let lock = Lock()
  private var used: Data?

  init(pause: Duration, current: @escaping @Sendable () -> Data?) {
    (self.pause, self.current) = (pause, current)
  }

  /// The current ones are about to be used.
  func use() { use(current()) }

  /// These are about to be used.
  func use(_ credentials: Data?) {
    lock.lock()
    used = credentials
    lock.unlock()
  }

  /// Whether the current ones are others than those that were used.
  var isNew: Bool {
    let current = current()
    lock.lock()
    defer { lock.unlock() }
    return current != used
  }
}

extension NATSOptions {
  /// `nil` where credentials do not change, or servers are not tried for ever.
  var credentialRenewal: CredentialRenewal? {
    guard case .always(let pause) = reconnection else { return nil }
    switch credentials {
    case .tokens(let token): return CredentialRenewal(pause: pause) { Data(token().utf8) }
    case .file(let path): return CredentialRenewal(pause: pause) { FileManager.default.contents(atPath: path) }
    case .user, .token, nil: return nil
    }
  }
}
