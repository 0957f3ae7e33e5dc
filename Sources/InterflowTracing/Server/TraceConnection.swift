#if !os(Windows) && !os(WASI)
  /// One connection of a trace server: first a request arrives, then its answer is sent, and updates follow if it asked
  /// for them.
  struct TraceConnection {
    enum Phase: Equatable {
      case reading
      /// Ends once everything is sent.
      case answering
      /// Gets an update whenever the last one is sent.
      case following
    }

    let socket: LoopbackSocket
    /// When the request, or what is being sent, must be through, in nanoseconds.
    var deadline: UInt64
    /// When the next update is due, if the one before has been sent by then.
    var nextUpdate: UInt64 = 0
    private(set) var phase = Phase.reading
    private var received: [UInt8] = []
    private var unsent: ArraySlice<UInt8> = []

    init(_ socket: LoopbackSocket, deadline: UInt64) {
      self.socket = socket
      self.deadline = deadline
    }

    var wantsToWrite: Bool { !unsent.isEmpty }

    /// Reads what has arrived.
    ///
    /// - Returns: Whether the connection goes on.
    mutating func read(_ answer: (TraceRequest) -> (text: String, follows: Bool)) -> Bool {
      guard let bytes = socket.read() else { return true }
      if bytes.isEmpty { return false }
      // After its request a client has nothing to say.
      guard phase == .reading else { return true }
      let known = received.count
      received += bytes
      switch TraceRequest.parse(received, withoutEndBefore: known) {
      case .incomplete: return true
      case .invalid: return false
      case .request(let request):
        received = []
        let (text, follows) = answer(request)
        phase = follows ? .following : .answering
        return send(text)
      }
    }

    /// Sends a text, of which what does not fit now is sent later.
    mutating func send(_ text: String) -> Bool {
      unsent = Array(text.utf8)[...]
      return write()
    }

    /// Sends what is left.
    ///
    /// - Returns: Whether the connection goes on.
    mutating func write() -> Bool {
      guard let count = unsent.isEmpty ? 0 : socket.write(unsent) else { return false }
      unsent = unsent.dropFirst(count)
      return !unsent.isEmpty || phase != .answering
    }
  }
#endif
