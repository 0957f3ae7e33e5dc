#if !os(Windows) && !os(WASI)
  import InterflowPrimitives

  /// Shows a recorder's lanes while the program runs, to a browser on the same machine.
  ///
  /// The server listens at an address of its own on the loopback interface, and answers only to requests that know the
  /// token in its ``address`` and name the machine as it does, so that neither another user's program nor a page of the
  /// web that guesses the port can read a recording.
  ///
  /// ```swift
  /// TraceRecorder.shared.start()
  /// let server = try TraceServer()
  /// print(server.address)  // http://127.0.0.1:40213/6f1c…/
  /// ```
  ///
  /// Keep the server: it ends when it is released.
  ///
  /// A page shows the newest 5,000 events, twice a second. That a subscription has not ended is no finding there. At most
  /// eight connections are served at a time, by one thread of the server's; a reader that is slow gets fewer updates, and
  /// no stream waits for it.
  public final class TraceServer: Sendable {
    /// Why a server could not be started.
    public struct Failure: Error, Sendable, CustomStringConvertible {
      /// What was tried, and why it failed.
      public let description: String
    }

    /// Where a browser finds the lanes. Whoever knows it can read them.
    public let address: String
    private let service: TraceService

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - recorder: The recorder whose recording is shown.
    ///   - port: The port; 0 for one that is free.
    ///   - title: The title of the page.
    public convenience init(
      recorder: TraceRecorder = .shared, port: UInt16 = 0, title: String = "Trace"
    ) throws(Failure) {
      try self.init(recorder: recorder, port: port, title: title, now: monotonicNanoseconds)
    }

    /// - Parameter now: The time, in nanoseconds. It is read once in each round of the server's thread.
    init(recorder: TraceRecorder, port: UInt16, title: String, now: @escaping @Sendable () -> UInt64) throws(Failure) {
      let listener = try LoopbackSocket(port: port)
      let authority = "127.0.0.1:\(listener.port)"
      var random = SystemRandomNumberGenerator()
      let token = (0..<2).map { _ in
        let digits = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined()
      address = "http://\(authority)/\(token)/"
      service = TraceService(listener, recorder, token: token, hosts: Self.hosts(port: listener.port), title, now: now)
      service.start()
    }

    /// What a browser may name the server. It leaves the port of HTTP out.
    static func hosts(port: UInt16) -> [String] {
      ["127.0.0.1", "localhost"].flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] }
    }

    deinit { service.stop() }

    /// Ends the server and its connections. It is also ended when it is released.
    public func stop() { service.stop() }
  }
#endif
