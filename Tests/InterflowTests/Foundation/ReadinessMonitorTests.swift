#if INTERFLOW_FOUNDATION
  #if os(Linux)
    import Foundation
    import InterflowTestSupport
    import Testing

    @testable import Interflow

    #if canImport(Glibc)
      import Glibc
    #elseif canImport(Musl)
      import Musl
    #endif

    @Suite("ReadinessMonitor")
    struct ReadinessMonitorTests {
      /// The system takes no more queries than a process may have descriptors.
      @Test func moreWatchesThanTheProcessMayHaveDescriptors() async throws {
        let count = 2_048
        let limit = try limitDescriptors(to: count)
        defer { _ = try? limitDescriptors(to: limit) }
        let (pipe, monitor, ready) = (TestPipe(), ReadinessMonitor(), Signal())
        for _ in 0..<count { _ = monitor.watch(pipe.reader.fileDescriptor) { ready.fire() } }
        try pipe.write([1])
        await ready.wait(count)
        #expect(ready.count == count)
      }

      @Test func aWatchThatIsCancelledIsForgottenAndTheOthersAreNot() async throws {
        let (pipe, monitor, ready, cancelled) = (TestPipe(), ReadinessMonitor(), Signal(), Signal())
        let watch = monitor.watch(pipe.reader.fileDescriptor) { cancelled.fire() }
        _ = monitor.watch(pipe.reader.fileDescriptor) { ready.fire() }
        monitor.cancel(watch)
        try pipe.write([1])
        await ready.wait()
        #expect(cancelled.count == 0)
      }
    }

    /// - Returns: How many descriptors the process was allowed before.
    private func limitDescriptors(to count: Int) throws -> Int {
      #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let resource = RLIMIT_NOFILE
      #endif
      var limit = rlimit()
      try #require(getrlimit(resource, &limit) == 0)
      let before = Int(limit.rlim_cur)
      limit.rlim_cur = rlim_t(count)
      try #require(setrlimit(resource, &limit) == 0)
      return before
    }
  #endif
#endif
