import Dispatch
import Foundation

/// The line with which a server begins each connection, before anything is sent to it.
///
/// The library has read it, and has no call that says what it contains.
enum ServerIntroduction {
  /// What a server that is none may send before it is given up.
  private static let maxLength = 65_536

  /// Connects to servers, all at once, reads the line of each, and ends the connections, to which nothing is sent. Blocks.
  ///
  /// - Parameters:
  ///   - addresses: Addresses of the library's, such as `nats://host:4222`.
  ///   - timeout: When to give up. The search for hosts' addresses may take longer.
  /// - Returns: The line of each address, without its end; `nil` where there is none.
  static func read(from addresses: [String], within timeout: Duration) -> [Data?] {
    var found: [UnsafeMutablePointer<addrinfo>?] = []
    defer { for list in found.compactMap(\.self) { freeaddrinfo(list) } }
    for address in addresses {
      var list: UnsafeMutablePointer<addrinfo>?
      if let (host, port) = parts(of: address) { _ = getaddrinfo(host, port, nil, &list) }
      found.append(list)
    }
    let candidates = found.map { list in
      sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { $0?.pointee }
        .filter { $0.ai_protocol == Int32(IPPROTO_TCP) }
    }
    return lines(of: candidates, until: DispatchTime.now() + timeout.dispatchInterval)
  }

  /// Tries all places at which each server may be.
  ///
  /// - Returns: The first line from one of a server's places.
  static func lines(of servers: [[addrinfo]], until deadline: DispatchTime) -> [Data?] {
    var lines = [Data?](repeating: nil, count: servers.count)
    var attempts = servers.enumerated().flatMap { index, candidates in
      candidates.compactMap { Attempt(to: $0, ofServer: index) }
    }
    while !attempts.isEmpty, let ready = wait(for: attempts, until: deadline) {
      for index in ready {
        attempts[index].receive()
        if let line = attempts[index].line, lines[attempts[index].server] == nil {
          lines[attempts[index].server] = line
        }
      }
      attempts.removeAll { attempt in
        let isOver = attempt.isOver || lines[attempt.server] != nil
        if isOver { close(attempt.file) }
        return isOver
      }
    }
    for attempt in attempts { close(attempt.file) }
    return lines
  }

  /// The host and the port of an address.
  static func parts(of address: String) -> (host: String, port: String)? {
    let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
    guard let place = rest.split(separator: "@").last, let colon = place.lastIndex(of: ":") else { return nil }
    let host = place[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    let port = place[place.index(after: colon)...]
    return host.isEmpty || UInt16(port) == nil ? nil : (host, String(port))
  }

  /// - Returns: Which of the attempts have something to read, or have failed; `nil` after the deadline.
  private static func wait(for attempts: [Attempt], until deadline: DispatchTime) -> [Int]? {
    while true {
      let now = DispatchTime.now()
      if now >= deadline { return nil }
      let rest = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000
      var requests = attempts.map { pollfd(fd: $0.file, events: Int16(POLLIN), revents: 0) }
      let count = poll(&requests, nfds_t(requests.count), Int32(clamping: rest + 1))
      if count > 0 { return requests.indices.filter { requests[$0].revents != 0 } }
      // A signal may interrupt it, and there may be more time than a call takes.
      if count < 0, errno != EINTR { return nil }
    }
  }

  /// A connection on which a server's line is read.
  private struct Attempt {
    let server: Int
    let file: Int32
    /// The line, when it is there as a whole.
    private(set) var line: Data?
    private(set) var isOver = false
    private var bytes = Data()

    /// Begins to connect. A failure is one to read, too.
    init?(to candidate: addrinfo, ofServer server: Int) {
      self.server = server
      file = socket(candidate.ai_family, candidate.ai_socktype, candidate.ai_protocol)
      guard file >= 0 else { return nil }
      _ = fcntl(file, F_SETFD, FD_CLOEXEC)
      _ = fcntl(file, F_SETFL, O_NONBLOCK)
      if connect(file, candidate.ai_addr, candidate.ai_addrlen) != 0, errno != EINPROGRESS, errno != EINTR {
        close(file)
        return nil
      }
    }

    mutating func receive() {
      var chunk = [UInt8](repeating: 0, count: 4_096)
      let count = recv(file, &chunk, chunk.count, 0)
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      if count > 0 { bytes += chunk[..<count] }
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        line = bytes[..<end].last == UInt8(ascii: "\r") ? Data(bytes[..<end].dropLast()) : Data(bytes[..<end])
      }
      isOver = line != nil || count <= 0 || bytes.count >= maxLength
    }
  }
}
