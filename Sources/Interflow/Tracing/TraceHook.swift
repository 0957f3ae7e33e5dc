/// What a part of the package has done, as a ``TraceHook`` receives it.
public struct TraceEvent: Sendable {
  /// The kind of an event, such as a statement of a database or a message that was sent. Each module has its own.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The name of the kind.
    public let rawValue: String

    /// Makes a kind.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// What kind of event it is.
  public var kind: Kind
  /// The name of what has done it, such as the path of a database.
  public var source: String
  /// What was done, without values that could be secret: the SQL of a statement, for one.
  public var message: String
  /// The values that belong to it, as text: only for hooks that ask for them.
  public var payload: String?
  /// What it shares with the event of another program that belongs to it: of a message that was sent and received, the id
  /// that the message carries.
  public var id: String?
  /// When it began.
  public var start: ContinuousClock.Instant
  /// How long it took. Zero for what has no duration.
  public var duration: Duration
  /// Why it failed, if it did.
  public var error: (any Error)?

  /// Makes an event.
  public init(
    kind: Kind, source: String, message: String, payload: String? = nil, id: String? = nil,
    start: ContinuousClock.Instant, duration: Duration = .zero, error: (any Error)? = nil
  ) {
    self.kind = kind
    self.source = source
    self.message = message
    self.payload = payload
    self.id = id
    self.start = start
    self.duration = duration
    self.error = error
  }
}

/// A closure that is called with what a part of the package has done, and how long it took, such as the statements of a
/// database.
///
/// The options of what can be traced have a property for it. Without a hook, nothing is measured.
///
/// - Thread: The closure is called on the thread that has done the work, which waits for it, at any time and on any
///   number of threads.
public struct TraceHook: Sendable {
  /// Whether events have a payload: the values that belong to them, which can be secret.
  public var includesPayloads: Bool
  private let check: (@Sendable () -> Bool)?
  private let receive: @Sendable (TraceEvent) -> Void

  /// Makes a hook.
  ///
  /// - Parameters:
  ///   - includesPayloads: Whether events have a payload.
  ///   - receive: Called after each event. It must not use what is traced.
  public init(includesPayloads: Bool = false, _ receive: @escaping @Sendable (TraceEvent) -> Void) {
    self.includesPayloads = includesPayloads
    check = nil
    self.receive = receive
  }

  /// Makes a hook that can be off: what happens then is not measured.
  ///
  /// ```swift
  /// let isTracing = Atomic(false)
  /// let hook = TraceHook(isOn: { isTracing.load(ordering: .relaxed) }) { event in
  ///   print(event.message, event.duration)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - includesPayloads: Whether events have a payload.
  ///   - isOn: Called before each event that could be measured, at any time and on any number of threads.
  ///   - receive: Called after each event. It must not use what is traced.
  public init(
    includesPayloads: Bool = false, isOn: @escaping @Sendable () -> Bool,
    _ receive: @escaping @Sendable (TraceEvent) -> Void
  ) {
    self.includesPayloads = includesPayloads
    check = isOn
    self.receive = receive
  }

  /// Whether events are wanted now. What begins while they are not is not measured.
  public var isOn: Bool { check?() ?? true }

  /// Reports an event.
  public func callAsFunction(_ event: TraceEvent) { receive(event) }
}
