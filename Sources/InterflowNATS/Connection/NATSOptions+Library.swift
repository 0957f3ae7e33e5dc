import CNATS
import Foundation

extension NATSOptions {
  /// Calls a closure with the library's form of the options, for as long as the closure runs.
  func withLibraryOptions<Success>(
    servers: [String], _ body: (OpaquePointer) throws(NATSError) -> Success
  ) throws(NATSError) -> Success {
    var created: OpaquePointer?
    try NATSError.check(natsOptions_Create(&created), while: "preparing a connection")
    guard let options = created else {
      throw NATSError(kind: .other, operation: "preparing a connection", message: "the library has no options")
    }
    defer { natsOptions_Destroy(options) }
    func set(_ status: natsStatus) throws(NATSError) {
      try NATSError.check(status, while: "preparing a connection")
    }
    for (index, server) in servers.enumerated() where !Self.isAddress(server) {
      // Neither the address nor a part of it, of which any may be a password.
      throw NATSError(
        kind: .misuse, operation: "preparing a connection",
        message: "addresses such as nats://localhost:4222 were expected, and number \(index + 1) is none")
    }
    var addresses: [String] = []
    for server in servers { addresses.append(try ConnectCommand.address(server)) }
    try set(CStrings.with(addresses) { natsOptions_SetServers(options, $0, $1) })
    if let name { try set(natsOptions_SetName(options, try ConnectCommand.text(name, of: "a name"))) }
    switch credentials {
    case .user(let user, let password)?:
      let (user, password) = (
        try ConnectCommand.text(user, of: "a user"), try ConnectCommand.text(password, of: "a password")
      )
      try set(natsOptions_SetUserInfo(options, user, password))
    case .token(let token)?: try set(natsOptions_SetToken(options, try ConnectCommand.text(token, of: "a token")))
    // The connection's events have it.
    case .tokens?: break
    case .file(let path)?:
      try Self.checkFile(path, of: "credentials")
      try set(natsOptions_SetUserCredentialsFromFiles(options, path, nil))
    case nil: break
    }
    // For all servers: the library does not know from which address it has learnt of one.
    if requiresTLS(servers) { try set(natsOptions_SetSecure(options, true)) }
    if let tls {
      if let file = tls.trustedCertificates {
        try Self.checkFile(file, of: "trusted certificates")
        try set(natsOptions_LoadCATrustedCertificates(options, file))
      }
      if let chain = tls.certificateChain {
        try Self.checkFile(chain, of: "certificates")
        try Self.checkFile(tls.privateKey ?? chain, of: "key")
        try set(natsOptions_LoadCertificatesChain(options, chain, tls.privateKey ?? chain))
      }
      if let host = tls.serverName {
        try ConnectCommand.check(host, of: "a name of a server")
        try set(natsOptions_SetExpectedHostname(options, host))
      }
    }
    switch reconnection {
    case .never: try set(natsOptions_SetAllowReconnect(options, false))
    case .attempts(let count, let pause):
      if count < 0 {
        throw NATSError(
          kind: .misuse, operation: "preparing a connection", message: "no number of attempts is below zero")
      }
      try set(natsOptions_SetMaxReconnect(options, Int32(clamping: count)))
      try set(natsOptions_SetReconnectWait(options, pause.milliseconds))
    case .always(let pause):
      try set(natsOptions_SetMaxReconnect(options, .max))
      try set(natsOptions_SetReconnectWait(options, pause.milliseconds))
    }
    try set(natsOptions_SetTimeout(options, connectTimeout.milliseconds))
    // A server that has stopped reading would keep the thread that writes for minutes, with the lock of the library that
    // all calls need. Its connection is restored instead, with that server or another.
    let writeTime = max(requestTimeout, Self.leastWriteTime)
    try set(natsOptions_SetWriteDeadline(options, writeTime.milliseconds))
    try set(natsOptions_SetPingInterval(options, pingInterval.milliseconds))
    if inboxPrefix != NATSOptions.defaultInboxPrefix {
      try SubjectName.check(
        inboxPrefix, wildcards: false, maxLength: SubjectName.maxPrefixLength, while: "preparing a connection")
      try set(natsOptions_SetCustomInboxPrefix(options, inboxPrefix))
    }
    // Messages on the thread that the library shares between all subscriptions of the process, not on one for each.
    try set(natsOptions_UseGlobalMessageDelivery(options, true))
    return try body(options)
  }

  /// How long one write may take, of a large message over a slow network for example.
  private static let leastWriteTime = Duration.seconds(10)

  /// Whether a text has the form of an address.
  static func isAddress(_ address: String) -> Bool {
    let scheme = address.firstRange(of: "://")
    let known = scheme.map { ["nats", "tls"].contains(address[..<$0.lowerBound]) } ?? true
    let rest = scheme.map { address[$0.upperBound...] } ?? address[...]
    let host = rest.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    if !known || host.isEmpty || host.contains(where: { $0 == "/" || $0 == "," || $0.isWhitespace }) { return false }
    // What is between brackets is of version 6, and has colons.
    guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else { return true }
    return UInt16(host[host.index(after: colon)...]).map { $0 > 0 } ?? false
  }

  /// Whether nothing may be sent without TLS. The library takes no notice of what an address says about it.
  func requiresTLS(_ servers: [String]) -> Bool { tls != nil || servers.contains { $0.hasPrefix("tls://") } }

  private static func checkFile(_ path: String, of content: String) throws(NATSError) {
    if !FileManager.default.isReadableFile(atPath: path) {
      throw NATSError(
        kind: .misuse, operation: "preparing a connection",
        message: "the file “\(path)” with the \(content) does not exist, or may not be read")
    }
  }
}

extension NATSOptions {
  /// What the subjects of requests to JetStream begin with.
  var checkedJetStreamPrefix: String {
    get throws(NATSError) {
      let operation = "preparing a connection"
      switch (jetStreamDomain, jetStreamPrefix) {
      case (nil, nil): return JetStreamContext.defaultPrefix
      case (let domain?, nil):
        try SubjectName.checkPart(domain, of: "domain", while: operation)
        return "$JS.\(domain).API"
      case (nil, let prefix?):
        try SubjectName.check(prefix, wildcards: false, maxLength: SubjectName.maxPrefixLength, while: operation)
        return prefix
      case (_?, _?):
        throw NATSError(kind: .misuse, operation: operation, message: "a domain or a prefix was expected, and not both")
      }
    }
  }

  /// How long one attempt to connect may take: some servers have to be reached and to answer twice. The rest is for looking
  /// up names, and for a thread that is free.
  func connectLimit(of servers: [String]) -> Duration {
    min(max(connectTimeout, .milliseconds(1)), .seconds(86_400)) * (4 * servers.count + 2)
  }

  /// Tries to connect, again and again where that is wanted.
  func untilConnected<Success>(_ connect: () async throws(NATSError) -> Success) async throws(NATSError) -> Success {
    var attempts = 0
    while true {
      do {
        return try await connect()
      } catch {
        attempts += 1
        guard retriesFirstConnection, [.noServer, .timeout, .interrupted, .disconnected].contains(error.kind) else {
          throw error
        }
        let pause: Duration
        switch reconnection {
        case .never: throw error
        case .attempts(let count, _) where attempts > count: throw error
        case .attempts(_, let wait), .always(let wait): pause = wait
        }
        do { try await Task.sleep(for: pause) } catch { throw .cancelled(while: "connecting") }
      }
    }
  }
}
