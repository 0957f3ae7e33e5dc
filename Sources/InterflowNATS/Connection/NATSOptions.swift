import Interflow

/// How a connection to NATS is made, and what it does when it is interrupted.
public struct NATSOptions: Sendable {
  /// How a client authenticates itself.
  public enum Credentials: Sendable {
    /// A user and a password.
    case user(String, password: String)
    /// A token that all clients share.
    case token(String)
    /// A token of a closure, which is called for each connection that is made, such as after an interruption: for tokens
    /// that expire. It is called on a background thread, and connecting waits for it: it must return quickly, with a token
    /// that is there already, and it must not use the connection, not even wait for what does. Where servers have refused a
    /// token, it is called after each pause until one is taken.
    case tokens(@Sendable () -> String)
    /// A file with a JWT and the seed of its key, as `nsc` writes it. It is read for each connection that is made.
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
  ///
  /// A server may refuse the credentials, because its password is being replaced for example. Then ``NATSConnection/errors``
  /// reports that, and with ``always(pause:)`` the servers are asked after each pause, on connections made for that. When the
  /// first one that answers takes the credentials that the client has then, the connection is restored.
  ///
  /// The C library ends the connection, with ``NATSError/Kind/notAuthorized``, when one server refuses the credentials twice
  /// without having taken them in between. With ``always(pause:)``, that happens only if the server did not answer when it was
  /// asked, or if other servers take the credentials that it refuses. Otherwise, the second refusal is the end.
  ///
  /// The C library has no limit for a TLS handshake. A server that stops in the middle of one, while the connection is being
  /// restored, keeps it ``NATSConnection/Status/reconnecting`` until that server's end of it is closed, with
  /// no other server tried. Calls end within their time limit, and so does ``NATSConnection/close()``.
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
  /// Whether the servers are also tried again, in the same way, where none answers the first time: for a program that is
  /// started together with its servers. Other errors, such as a wrong password, are thrown at once.
  ///
  /// Where an attempt hangs, as in the TLS handshake of a server that has stopped, one more is made beside it. Where that
  /// hangs, too, no server is tried until one of the two ends.
  public var retriesFirstConnection = false
  /// How long to wait for each server when connecting. A TLS handshake is not part of it.
  public var connectTimeout: Duration = .seconds(2)
  /// How long a call waits for the answer of a server, from when it is made.
  public var requestTimeout: Duration = .seconds(5)
  /// Whether values of a bucket with more than one of ``NATSBucketSettings/replicas`` are changed with `update` also where a
  /// server has a version before 2.10, or does not say which; and values are sent to a stream with replicas that expect
  /// ``NATSExpectedSequence/lastOfSubject(_:)``.
  ///
  /// Such servers may lose changes that several clients make at the same time: of two that both expect a revision, both
  /// succeed. With `false`, both fail with ``NATSError/Kind/unsupported``. How many replicas there are is read when a
  /// program opens the bucket or the stream.
  ///
  /// Versions are known of the servers to which this connection may be made. With ``jetStreamDomain`` or
  /// ``jetStreamPrefix``, other servers have the values, which count as old. Where a program uses neither, and its servers
  /// are leaf nodes of those that have the values, or a gateway leads there, the versions of the latter are not looked at:
  /// name the domain then.
  public var allowsUnsafeUpdates = false

  /// How often to ping an idle server; after two pings without an answer the connection counts as interrupted.
  public var pingInterval: Duration = .seconds(120)
  /// What the subjects begin with to which servers send answers, for accounts that may not subscribe to all.
  public var inboxPrefix = defaultInboxPrefix

  /// The domain of JetStream in which streams are, such as that of the servers behind a leaf node; `nil` for that of the
  /// server that answers. Values of buckets with replicas are changed there only with ``allowsUnsafeUpdates``, since the
  /// versions of those servers are not known.
  public var jetStreamDomain: String?
  /// What the subjects of requests to JetStream begin with, for an account that imports JetStream's from another one under
  /// such a name; `nil` for `$JS.API`, or what ``jetStreamDomain`` says. Only one of the two may be there.
  /// With it, too, values of buckets with replicas are changed only with ``allowsUnsafeUpdates``.
  public var jetStreamPrefix: String?
  /// Called with each message that is sent and that arrives, with the subject and how long it took; `nil` for nothing.
  ///
  /// A message that is sent gets a header, `Interflow-Trace`, with an id, which the events of both sides have, so that a
  /// message can be followed from program to program, also one that is sent again, as ``NATSRetrying`` does. It takes up to
  /// 47 bytes of the message's size. Values are never part of an event. What is on subjects that begin with
  /// ``inboxPrefix``, such as answers to requests, and what the module and the servers say to each other, is not reported.
  ///
  /// - Thread: The hook is called on threads that send, and on the one thread of the process on which messages arrive, which
  ///   waits for it.
  public var trace: TraceHook?

  static let defaultInboxPrefix = "_INBOX"

  /// Makes options with the defaults.
  public init() {}
}
