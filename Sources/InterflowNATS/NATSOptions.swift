/// How a connection to NATS is made, and what it does when it is interrupted.
public struct NATSOptions: Sendable {
  /// How a client authenticates itself.
  public enum Credentials: Sendable {
    /// A user and a password.
    case user(String, password: String)
    /// A token that all clients share.
    case token(String)
    /// A file with a JWT and the seed of its key, as `nsc` writes it.
    case file(path: String)
  }

  /// What secures a connection. The server's certificate has to be trusted, and for the host in the address.
  public struct TLS: Sendable {
    /// The file with the certificates that are trusted, in PEM form; `nil` for those of the system.
    public var trustedCertificates: String?
    /// The file with the client's certificate chain, in PEM form.
    public var certificateChain: String?
    /// The file with the key of the client's certificate, in PEM form.
    public var privateKey: String?
    /// The host for which the server's certificate has to be; `nil` for that in the address.
    public var serverName: String?

    /// Makes settings.
    public init(
      trustedCertificates: String? = nil, certificateChain: String? = nil, privateKey: String? = nil,
      serverName: String? = nil
    ) {
      self.trustedCertificates = trustedCertificates
      self.certificateChain = certificateChain
      self.privateKey = privateKey
      self.serverName = serverName
    }
  }

  /// What happens when the connection is interrupted.
  public enum Reconnection: Sendable {
    /// The connection is closed.
    case never
    /// Every server is tried so many times, with a pause before it is tried again, and then the connection is closed.
    case attempts(Int, pause: Duration = .seconds(2))
    /// The servers are tried until one answers.
    case always(pause: Duration = .seconds(2))
  }

  /// The name by which the server's monitoring shows the connection.
  public var name: String?
  /// How the client authenticates itself; `nil` where the addresses contain it, or the server requires nothing.
  public var credentials: Credentials?
  /// What secures the connection; `nil` for a connection that has TLS where the server requires it.
  ///
  /// With settings, or where an address begins with `tls://`, no server is used that has no TLS, and no password is sent
  /// to it: connecting fails with ``NATSError/Kind/notSecure``.
  public var tls: TLS?
  /// What happens when the connection is interrupted.
  public var reconnection: Reconnection = .always()
  /// How long to wait for each server when connecting.
  public var connectTimeout: Duration = .seconds(2)
  /// How long a call waits for the answer of a server, from when it is made.
  public var requestTimeout: Duration = .seconds(5)
  /// Whether values of a bucket with more than one of ``NATSBucketSettings/replicas`` are changed with `update` also where a
  /// server has a version before 2.10, or does not say which.
  ///
  /// Such servers may lose changes that several clients make at the same time: of two that both expect a revision, both
  /// succeed. With `false`, `update` fails with ``NATSError/Kind/unsupported``. How many replicas there are is read when a
  /// program opens the bucket.
  public var allowsUnsafeUpdates = false

  /// How often to ping an idle server; after two pings without an answer the connection counts as interrupted.
  public var pingInterval: Duration = .seconds(120)
  /// What the subjects begin with to which servers send answers, for accounts that may not subscribe to all.
  public var inboxPrefix = defaultInboxPrefix

  static let defaultInboxPrefix = "_INBOX"

  /// Makes options with the defaults.
  public init() {}
}
