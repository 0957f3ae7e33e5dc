import CNATS

/// Asks servers whether they take the credentials now, on connections that are made for that.
///
/// The library gives a connection up when a server refuses it twice, one time after the other. So where servers are to be
/// tried for ever, it tries again when they do not refuse it any more.
struct CredentialCheck: Sendable {
  /// How long to wait before servers are tried again.
  let pause: Duration
  private var options: NATSOptions
  private let urls: [String]

  /// - Returns: `nil` where servers are not tried for ever.
  init?(_ options: NATSOptions, urls: [String]) {
    guard case .always(let pause) = options.reconnection else { return nil }
    (self.pause, self.options, self.urls) = (pause, options, urls)
    self.options.reconnection = .never
  }

  /// Whether the first of some servers refuses the credentials that does not fail for another reason. Blocks.
  ///
  /// - Parameter addresses: The servers' addresses in the order in which the library is about to try them.
  func isRefused(by addresses: [String]) -> Bool {
    for address in addresses {
      switch attempt(url(of: address)) {
      case NATS_OK: return false
      case NATS_CONNECTION_AUTH_FAILED: return true
      default: continue
      }
    }
    return false
  }

  private func attempt(_ url: String) -> natsStatus {
    var options = options
    if case .tokens(let token) = options.credentials { options.credentials = .token(token()) }
    do throws(NATSError) {
      return try options.withLibraryOptions(servers: [url]) { library in
        // Without a callback, the library prints errors.
        natsOptions_SetErrorHandler(library, { _, _, _, _ in }, nil)
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, library)
        natsConnection_Destroy(connection)
        return status
      }
    } catch {
      // What cannot be sent, or a file that is not there, which the library would do without.
      return NATS_CONNECTION_AUTH_FAILED
    }
  }

  /// The address with the user that the program's address of the server contains; with that of the first one for a server
  /// of which others have told.
  func url(of address: String) -> String {
    func place(_ url: String) -> String {
      let parts = ServerIntroduction.parts(of: url) ?? ServerIntroduction.parts(of: url + ":4222")
      return parts.map { "\($0.host):\($0.port)" } ?? url
    }
    if let url = urls.first(where: { place($0) == place(address) }) { return url }
    guard options.credentials == nil, let url = urls.first(where: { $0.contains("@") }),
      let end = url.lastIndex(of: "@"), let scheme = address.firstRange(of: "://")
    else { return address }
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    return "\(address[..<scheme.upperBound])\(url[start...end])\(address[scheme.upperBound...])"
  }
}
