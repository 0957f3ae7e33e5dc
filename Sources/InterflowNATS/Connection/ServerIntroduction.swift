import Dispatch
import Foundation

/// The line with which a server begins each connection, before anything is sent to it.
///
/// The library has read it, and has no call that says what it contains.
enum ServerIntroduction {
  /// What a server that is none may send before it is given up.
  private static let maxLength = 65_536

  /// Connects to a server, reads the line, and ends the connection, to which nothing is sent. Blocks.
  ///
  /// - Parameters:
  ///   - address: An address of the library's, such as `nats://host:4222`.
  ///   - timeout: When to give up. The search for the host's address may take longer.
  /// - Returns: The line without its end; `nil` where there is none.
  static func read(from address: String, within timeout: Duration) -> Data? {
    guard let (host, port) = parts(of: address) else { return nil }
    let deadline = DispatchTime.now() + timeout.dispatchInterval
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, nil, &found) == 0 else { return nil }
    defer { freeaddrinfo(found) }
    let candidates = sequence(first: found, next: { $0?.pointee.ai_next }).compactMap { $0?.pointee }
    return line(ofOneOf: candidates.filter { $0.ai_protocol == Int32(IPPROTO_TCP) }, until: deadline)
  }

  /// Tries a host's addresses one after the other, each for its part of the time that is left.
  static func line(ofOneOf candidates: [addrinfo], until deadline: DispatchTime) -> Data? {
    for (index, candidate) in candidates.enumerated() {
      let now = min(DispatchTime.now(), deadline).uptimeNanoseconds
      let part = (deadline.uptimeNanoseconds - now) / UInt64(candidates.count - index)
      if let line = line(of: candidate, until: DispatchTime(uptimeNanoseconds: now + part)) { return line }
    }
    return nil
  }

  /// The host and the port of an address.
  static func parts(of address: String) -> (host: String, port: String)? {
    let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
    guard let place = rest.split(separator: "@").last, let colon = place.lastIndex(of: ":") else { return nil }
    let host = place[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    let port = place[place.index(after: colon)...]
    return host.isEmpty || UInt16(port) == nil ? nil : (host, String(port))
  }

  private static func line(of candidate: addrinfo, until deadline: DispatchTime) -> Data? {
    let file = socket(candidate.ai_family, candidate.ai_socktype, candidate.ai_protocol)
    guard file >= 0 else { return nil }
    defer { close(file) }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    _ = fcntl(file, F_SETFL, O_NONBLOCK)
    if connect(file, candidate.ai_addr, candidate.ai_addrlen) != 0 {
      // A failure to connect is one to read, too.
      guard errno == EINPROGRESS || errno == EINTR, wait(for: POLLOUT, of: file, until: deadline) else { return nil }
    }
    var line = Data()
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while line.count < maxLength, wait(for: POLLIN, of: file, until: deadline) {
      let count = recv(file, &chunk, chunk.count, 0)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      if count <= 0 { return nil }
      line += chunk[..<count]
      if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
        return line[..<end].last == UInt8(ascii: "\r") ? Data(line[..<end].dropLast()) : Data(line[..<end])
      }
    }
    return nil
  }

  /// - Returns: Whether there is something to do before the deadline.
  private static func wait(for event: some BinaryInteger, of file: Int32, until deadline: DispatchTime) -> Bool {
    while true {
      let now = DispatchTime.now()
      if now >= deadline { return false }
      let rest = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000
      var request = pollfd(fd: file, events: Int16(event), revents: 0)
      let count = poll(&request, 1, Int32(clamping: rest + 1))
      if count > 0 { return true }
      // A signal may interrupt it, and there may be more time than a call takes.
      if count < 0, errno != EINTR { return false }
    }
  }
}
