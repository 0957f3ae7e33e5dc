import CNATS

/// What a stream stores, where, and for how long.
public struct NATSStreamSettings: Sendable, Hashable {
  /// When the server removes values, apart from the limits.
  public enum Retention: Sendable, Hashable {
    /// When a limit is reached.
    case limits
    /// When every consumer has acknowledged the value.
    case interest
    /// When one consumer has acknowledged the value. A server that is killed while such a stream is empty may forget how
    /// far it has counted: see <doc:StreamsThatSpanMachines>.
    case workQueue
  }

  /// Where the server stores values.
  public enum Storage: Sendable, Hashable {
    /// In files.
    case file
    /// In the server's memory. They are lost when all servers that hold them have ended.
    case memory
  }

  /// What happens with a value for which there is no room.
  public enum Discard: Sendable, Hashable {
    /// The oldest values are removed.
    case old
    /// The new value is refused: sending it throws ``NATSError/Kind/full``.
    case new
  }

  /// When the server removes values, apart from the limits.
  public var retention: Retention = .limits
  /// Where the server stores values.
  public var storage: Storage = .file
  /// How many servers of a cluster hold each value: 1, 3 or 5.
  public var replicas = 1
  /// What happens with a value for which there is no room.
  public var discard: Discard = .old
  /// At most so many values are held; `nil` for no limit.
  public var maxMessages: Int?
  /// At most so many bytes are held; `nil` for no limit.
  public var maxBytes: Int?
  /// How long a value is held; `nil` for no limit.
  public var maxAge: Duration?
  /// How many bytes a message may have; `nil` for the server's limit.
  public var maxMessageSize: Int?
  /// For how long a value with the identifier of an earlier one is recognised as its duplicate.
  /// The server refuses a window that is longer than ``maxAge``.
  public var duplicateWindow: Duration = .seconds(120)

  /// Makes settings with the defaults: files, one server, no limits.
  public init() {}
}

extension NATSStreamSettings {
  /// Calls a closure with the library's form, for as long as the closure runs.
  func withConfiguration<Success>(
    name: String, subjects: [String], _ body: (inout jsStreamConfig) -> Success
  ) -> Success {
    var configuration = jsStreamConfig()
    jsStreamConfig_Init(&configuration)
    configuration.Retention =
      switch retention {
      case .limits: js_LimitsPolicy
      case .interest: js_InterestPolicy
      case .workQueue: js_WorkQueuePolicy
      }
    configuration.Storage = storage == .file ? js_FileStorage : js_MemoryStorage
    configuration.Replicas = Int64(replicas)
    configuration.Discard = discard == .old ? js_DiscardOld : js_DiscardNew
    if let maxMessages { configuration.MaxMsgs = Int64(maxMessages) }
    if let maxBytes { configuration.MaxBytes = Int64(maxBytes) }
    if let maxAge { configuration.MaxAge = maxAge.nanoseconds }
    if let maxMessageSize { configuration.MaxMsgSize = Int32(clamping: maxMessageSize) }
    configuration.Duplicates = duplicateWindow.nanoseconds
    return name.withCString { name in
      CStrings.with(subjects) { subjects, count in
        configuration.Name = name
        configuration.Subjects = subjects
        configuration.SubjectsLen = count
        return body(&configuration)
      }
    }
  }
}
