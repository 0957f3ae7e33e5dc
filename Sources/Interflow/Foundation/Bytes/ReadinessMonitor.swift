#if INTERFLOW_FOUNDATION && !canImport(Darwin) && !os(Windows)
  import Foundation
  import InterflowPrimitives

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// Watches descriptors that have nothing to read, all of them on one thread.
  ///
  /// Not with Dispatch sources: these identify a descriptor by its number, and fail when another part of the process
  /// closes a watched descriptor, as Foundation does with its connections, and its number is used again.
  final class ReadinessMonitor: @unchecked Sendable {  // `lock` guards all variables.
    private struct Watch {
      var number: Int32
      var handler: @Sendable () -> Void
    }

    static let shared = ReadinessMonitor()

    private let lock = Lock()
    private var watches: [Int: Watch] = [:]
    private var lastWatch = 0
    private var isRunning = false
    /// Wakes the thread, so that it reads `watches` again.
    private let wake = Pipe()

    /// Calls a closure once, on the monitor's thread, when something can be read, or reading would fail.
    ///
    /// - Returns: The identifier with which the watch can be cancelled.
    func watch(_ number: Int32, _ handler: @escaping @Sendable () -> Void) -> Int {
      lock.lock()
      lastWatch += 1
      let watch = lastWatch
      watches[watch] = Watch(number: number, handler: handler)
      let isFirst = !isRunning
      isRunning = true
      lock.unlock()
      if isFirst { Thread.detachNewThread { self.run() } } else { interrupt() }
      return watch
    }

    /// Removes a watch. Its closure may be running already.
    func cancel(_ watch: Int) {
      lock.lock()
      let cancelled = watches.removeValue(forKey: watch)
      lock.unlock()
      if cancelled != nil { interrupt() }
    }

    private func interrupt() {
      var byte: UInt8 = 0
      _ = write(wake.fileHandleForWriting.fileDescriptor, &byte, 1)
    }

    private func run() {
      let wakeNumber = wake.fileHandleForReading.fileDescriptor
      var discarded = [UInt8](repeating: 0, count: 4_096)
      while true {
        lock.lock()
        // One query for each number: the system allows no more queries than a process may have descriptors.
        let watched = Dictionary(grouping: watches.keys) { watches[$0].map(\.number) ?? -1 }
        lock.unlock()
        var queries = [pollfd(fd: wakeNumber, events: Int16(POLLIN), revents: 0)]
        queries += watched.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&queries, nfds_t(queries.count), -1) > 0 else {
          // Polling again would fail again. The readers receive the error when they read.
          if errno != EINTR, errno != EAGAIN { watched.values.forEach(call) }
          continue
        }
        if queries[0].revents != 0 { _ = read(wakeNumber, &discarded, discarded.count) }
        for query in queries.dropFirst() where query.revents != 0 {
          if let ready = watched[query.fd] { call(ready) }
        }
      }
    }

    private func call(_ ready: [Int]) {
      for watch in ready {
        lock.lock()
        let watch = watches.removeValue(forKey: watch)
        lock.unlock()
        watch?.handler()
      }
    }
  }
#endif
