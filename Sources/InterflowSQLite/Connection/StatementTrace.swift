import Interflow

extension TraceEvent.Kind {
  /// A statement has run. The message is its SQL, and the payload the values of its parameters.
  public static let statement = TraceEvent.Kind(rawValue: "sqlite.statement")
  /// A transaction or a savepoint has begun, or has been committed or rolled back.
  public static let transaction = TraceEvent.Kind(rawValue: "sqlite.transaction")
}

/// Measures a statement while it runs. What its caller does between two rows does not count.
struct StatementTrace {
  private let hook: TraceHook
  private let source: String
  private let payload: String?
  private var start: ContinuousClock.Instant?
  private var duration = Duration.zero
  private var error: DatabaseError?

  init(_ hook: TraceHook, source: String, payload: String?) {
    self.hook = hook
    self.source = source
    self.payload = payload
  }

  mutating func stepped(since begin: ContinuousClock.Instant, error: DatabaseError?) {
    if start == nil { start = begin }
    duration += .now - begin
    self.error = error
  }

  /// Reports it, if it has run.
  func report(_ sql: String, _ kind: TraceEvent.Kind = .statement) {
    guard let start else { return }
    hook(
      TraceEvent(
        kind: kind, source: source, message: sql, payload: payload, start: start, duration: duration, error: error))
  }
}

extension DatabaseConnection {
  /// Begins to measure a statement that is about to run.
  func trace(_ statement: Statement, _ arguments: DatabaseArguments) {
    guard let hook = options.trace, hook.isOn else { return }
    let payload = hook.includesPayloads ? arguments.text(options.formats) : nil
    statement.trace = StatementTrace(hook, source: source, payload: payload)
  }

  /// Runs what begins or ends a transaction.
  func tracingTransaction(_ sql: String, _ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    guard let hook = options.trace, hook.isOn else { return try body() }
    let begin = ContinuousClock.now
    var trace = StatementTrace(hook, source: source, payload: nil)
    let result = Result { () throws(DatabaseError) in try body() }
    var failure: DatabaseError?
    if case .failure(let error) = result { failure = error }
    trace.stepped(since: begin, error: failure)
    authorizer.whileRunning { trace.report(sql, .transaction) }
    try result.get()
  }
}

extension Authorizer {
  /// Calls out. A use of the connection by what is called is refused.
  func whileRunning(_ body: () -> Void) {
    let wasRunning = isRunning
    isRunning = true
    body()
    isRunning = wasRunning
  }
}

extension DatabaseArguments {
  /// The values as SQL would have them, for traces.
  fileprivate func text(_ formats: DatabaseFormats) -> String {
    func text(_ argument: DatabaseArgument) -> String {
      switch try? argument.value(formats) {
      case .null: "NULL"
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      case .text(let text): text.quoted("'")
      case .blob(let bytes): "a blob of \(bytes.count) bytes"
      case nil: "?"
      }
    }
    switch storage {
    case .positional(let values): return values.map(text).joined(separator: ", ")
    case .named(let values):
      return values.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ")
    }
  }
}
