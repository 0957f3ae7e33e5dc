import Foundation

/// A process that a test starts, and whose end it waits for.
///
/// Not Foundation's: where threads wait for the ends of several processes at a time, it sometimes misses one, and waits for
/// ever.
package final class ChildProcess: @unchecked Sendable {  // `lock` guards `end` and `input`.
  /// How a process has ended.
  package enum End: Sendable, Equatable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  /// A program that could not be started.
  package struct Failure: Error, CustomStringConvertible {
    let program: String
    let code: Int32

    package var description: String { "\(program) could not be started: \(String(cString: strerror(code)))" }
  }

  /// What the test reads of a process. It has to, then; the rest goes where the test's own does.
  package enum Reading { case nothing, output, outputAndErrors }

  private static let starting = NSLock()

  package let identifier: pid_t
  /// What the test reads; `nil` for nothing.
  package let output: FileHandle?
  private let lock = NSLock()
  private var input: FileHandle?
  private var end: End?

  /// Starts a program, whose input is empty until something is written.
  ///
  /// - Parameters:
  ///   - program: Its path, or a name that is looked for.
  package init(_ program: String, _ arguments: [String], reading: Reading = .nothing) throws {
    // So that no process inherits another's pipes.
    Self.starting.lock()
    defer { Self.starting.unlock() }
    var failure: Int32 = 0
    func check(_ code: Int32) { if failure == 0 { failure = code } }
    // Threads of tasks block signals, which a process would inherit, as it would what is ignored.
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var (none, pipes) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigemptyset(&pipes)
    sigaddset(&pipes, SIGPIPE)
    check(posix_spawnattr_setsigmask(&attributes, &none))
    check(posix_spawnattr_setsigdefault(&attributes, &pipes))
    check(posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)))
    let (input, output) = (try Self.pipe(), reading == .nothing ? nil : try Self.pipe())
    check(posix_spawn_file_actions_adddup2(&actions, input.reading.fileDescriptor, STDIN_FILENO))
    if let output {
      check(posix_spawn_file_actions_adddup2(&actions, output.writing.fileDescriptor, STDOUT_FILENO))
      if reading == .outputAndErrors {
        check(posix_spawn_file_actions_adddup2(&actions, output.writing.fileDescriptor, STDERR_FILENO))
      }
    }
    func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }
    var texts = copies([program] + arguments)
    var environment = copies(ProcessInfo.processInfo.environment.map { "\($0)=\($1)" })
    defer { for text in texts + environment { free(text) } }
    var identifier: pid_t = 0
    // The ends that only the process needs are closed here with the last reference to them.
    withExtendedLifetime((input, output)) {
      if failure == 0 { check(posix_spawnp(&identifier, program, &actions, &attributes, &texts, &environment)) }
    }
    if failure != 0 { throw Failure(program: program, code: failure) }
    self.identifier = identifier
    self.input = input.writing
    self.output = output?.reading
  }

  deinit {
    kill()
    wait()
  }

  /// A pipe that other processes do not inherit.
  private static func pipe() throws -> (reading: FileHandle, writing: FileHandle) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw Failure(program: "a pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (
      FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
      FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    )
  }

  // MARK: What it reads and writes

  package func write(_ text: String) throws {
    // Writing to a process that has ended is an error, and does not end the tests.
    signal(SIGPIPE, SIG_IGN)
    let input = lock.withLock { self.input }
    try input?.write(contentsOf: Data(text.utf8))
  }

  package func closeInput() throws {
    let input = lock.withLock { self.input.take() }
    try input?.close()
  }

  /// The numbers that the process writes, each on a line of its own, until it ends. To be called once.
  package func numbers() -> AsyncStream<Int> {
    let (numbers, continuation) = AsyncStream<Int>.makeStream()
    guard let output else {
      continuation.finish()
      return numbers
    }
    // Reading blocks, so it has a thread.
    Thread.detachNewThread {
      var rest = Data()
      while case let data = output.availableData, !data.isEmpty {
        rest += data
        // What comes after the last line feed is a report that was cut off.
        while let lineFeed = rest.firstIndex(of: 0x0A) {
          if let number = Int(String(decoding: rest[..<lineFeed], as: UTF8.self)) { continuation.yield(number) }
          rest = Data(rest[(lineFeed + 1)...])
        }
      }
      continuation.finish()
    }
    return numbers
  }

  // MARK: Its end

  /// Sends a signal to the process, if it has not ended.
  package func kill(_ signal: Int32 = SIGKILL) {
    lock.withLock {
      // Afterwards, the number may be that of another process.
      if end == nil { _ = Foundation.kill(identifier, signal) }
    }
  }

  package var isRunning: Bool { lock.withLock { reap(WNOHANG) } == nil }

  /// Waits for the end of the process, on the thread that calls.
  @discardableResult
  package func wait() -> End {
    // Without the lock, so that others can send it a signal, but with its number, which remains its own until then.
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    return lock.withLock { reap(0) } ?? .exited(-1)
  }

  private func reap(_ options: Int32) -> End? {
    if let end { return end }
    var status: Int32 = 0
    guard waitpid(identifier, &status, options) == identifier else { return nil }
    let signal = status & 0x7f
    end = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
    return end
  }
}

extension ChildProcess {
  /// A program that the build puts beside the tests.
  package convenience init(built name: String, _ arguments: String...) throws {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    try self.init(folder.appendingPathComponent(name).path, arguments, reading: .output)
  }
}
