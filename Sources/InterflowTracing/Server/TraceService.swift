#if !os(Windows) && !os(WASI)
  import Dispatch
  import InterflowPrimitives
  import Synchronization

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// The work of a trace server, on a thread of its own.
  final class TraceService: Sendable {
    static let mostConnections = 8
    static let mostEvents = 5_000
    static let pause: UInt64 = 500_000_000
    /// How long a request or its answer may take.
    static let patience: UInt64 = 10_000_000_000

    private let listener: LoopbackSocket
    private let recorder: TraceRecorder
    private let token: String
    private let hosts: [String]
    private let title: String
    private let now: @Sendable () -> UInt64
    private let isStopped = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    init(
      _ listener: LoopbackSocket, _ recorder: TraceRecorder, token: String, hosts: [String], _ title: String,
      now: @escaping @Sendable () -> UInt64
    ) {
      self.listener = listener
      self.recorder = recorder
      self.token = token
      self.hosts = hosts
      self.title = title
      self.now = now
    }

    func start() {
      // A queue of its own has a thread of its own while it works, so that its waiting keeps no other work waiting.
      DispatchQueue(label: "InterflowTracing.TraceServer").async { [self] in
        serve()
        ended.signal()
      }
    }

    /// Returns when the thread has closed everything.
    func stop() {
      isStopped.store(true, ordering: .relaxed)
      ended.wait()
      ended.signal()
    }

    private func serve() {
      var connections: [TraceConnection] = []
      // Where the process has no descriptor left, the listener stays ready: it is looked at again after a pause.
      var listens = true
      while !isStopped.load(ordering: .relaxed) {
        var polled = [pollfd(fd: listens ? listener.descriptor : -1, events: Int16(POLLIN), revents: 0)]
        listens = true
        for connection in connections {
          let events = POLLIN | (connection.wantsToWrite ? POLLOUT : 0)
          polled.append(pollfd(fd: connection.socket.descriptor, events: Int16(events), revents: 0))
        }
        poll(&polled, nfds_t(polled.count), 50)
        let now = now()
        connections = zip(connections, polled.dropFirst()).compactMap { serve($0, Int32($1.revents), now) }
        if polled[0].revents != 0 { listens = accept(&connections, now) }
      }
      for connection in connections { connection.socket.close() }
      listener.close()
    }

    /// - Returns: Whether there was one to accept.
    private func accept(_ connections: inout [TraceConnection], _ now: UInt64) -> Bool {
      // Not all that come: whoever connects again and again would keep it from everything else.
      for count in 0..<Self.mostConnections {
        guard let socket = listener.accept() else { return count > 0 }
        if connections.count == Self.mostConnections {
          // Who has a request sends it at once.
          guard let idle = connections.firstIndex(where: { $0.phase == .reading }) else {
            socket.close()
            continue
          }
          connections.remove(at: idle).socket.close()
        }
        connections.append(TraceConnection(socket, deadline: now + Self.patience))
      }
      return true
    }

    /// - Returns: The connection, unless it has ended.
    private func serve(_ connection: TraceConnection, _ events: Int32, _ now: UInt64) -> TraceConnection? {
      var connection = connection
      var goesOn = true
      if events & ~POLLOUT != 0 { goesOn = connection.read(answer) }
      if goesOn, events & POLLOUT != 0 { goesOn = connection.write() }
      if goesOn, connection.phase == .following, !connection.wantsToWrite, now >= connection.nextUpdate {
        connection.nextUpdate = now + Self.pause
        // Whoever does not read it has so long.
        connection.deadline = now + Self.patience
        let update = recorder.recording(limit: Self.mostEvents).json(title, isUnderWay: true)
        goesOn = connection.send("data: \(update)\n\n")
      }
      if goesOn, now >= connection.deadline, connection.phase != .following || connection.wantsToWrite {
        goesOn = false
      }
      if goesOn { return connection }
      connection.socket.close()
      return nil
    }

    private func answer(_ request: TraceRequest) -> (text: String, follows: Bool) {
      guard let host = request.host, hosts.contains(host) else { return (Self.refusal("403 Forbidden"), false) }
      let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3, parts[0].isEmpty, areSame(parts[1], token) else {
        return (Self.refusal("404 Not Found"), false)
      }
      guard request.method == "GET" else { return (Self.refusal("405 Method Not Allowed"), false) }
      switch parts[2] {
      case "":
        let page = recorder.recording(limit: Self.mostEvents).page(title, updates: "events")
        return (Self.head("200 OK", "text/html; charset=utf-8", length: page.utf8.count) + page, false)
      case "events":
        return (Self.head("200 OK", "text/event-stream", length: nil), true)
      default:
        return (Self.refusal("404 Not Found"), false)
      }
    }

    private static func refusal(_ status: String) -> String {
      head(status, "text/plain; charset=utf-8", length: status.utf8.count) + status
    }

    private static func head(_ status: String, _ type: String, length: Int?) -> String {
      """
      HTTP/1.1 \(status)\r
      Content-Type: \(type)\r
      Cache-Control: no-store\r
      Referrer-Policy: no-referrer\r
      X-Content-Type-Options: nosniff\r
      X-Frame-Options: DENY\r
      \(length.map { "Content-Length: \($0)\r\n" } ?? "")Connection: close\r
      \r

      """
    }
  }
#endif
