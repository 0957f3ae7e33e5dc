import CNATS

/// What a bucket of keys and values keeps, where, and for how long.
public struct NATSBucketSettings: Sendable, Hashable {
  /// How many revisions of each key are held, up to 64.
  public var history = 1
  /// How long a revision is held; `nil` for no limit. A key whose last revision is that old has no value.
  public var timeToLive: Duration?
  /// How many servers of a cluster hold each value: 1, 3 or 5.
  ///
  /// With more than one, servers before version 2.10 may lose changes; see ``NATSOptions/allowsUnsafeUpdates``.
  public var replicas = 1
  /// Where the server stores values.
  public var storage: NATSStreamSettings.Storage = .file
  /// At most so many bytes are held; `nil` for no limit.
  public var maxBytes: Int?
  /// How many bytes a value may have; `nil` for the server's limit.
  public var maxValueSize: Int?

  /// Makes settings with the defaults: one revision, files, one server, no limits.
  public init() {}
}

extension NATSBucketSettings {
  /// Calls a closure with the library's form, for as long as the closure runs.
  ///
  /// It is what other clients make of a bucket, so that they share it.
  func withConfiguration<Success>(bucket: String, _ body: (inout jsStreamConfig) -> Success) -> Success {
    var configuration = jsStreamConfig()
    jsStreamConfig_Init(&configuration)
    configuration.MaxMsgsPerSubject = Int64(history)
    configuration.Storage = storage == .file ? js_FileStorage : js_MemoryStorage
    configuration.Replicas = Int64(replicas)
    configuration.Discard = js_DiscardNew
    configuration.AllowRollup = true
    configuration.DenyDelete = true
    configuration.AllowDirect = true
    if let maxBytes { configuration.MaxBytes = Int64(maxBytes) }
    if let maxValueSize { configuration.MaxMsgSize = Int32(clamping: maxValueSize) }
    let window = Duration.seconds(120)
    configuration.Duplicates = min(timeToLive ?? window, window).nanoseconds
    if let timeToLive { configuration.MaxAge = timeToLive.nanoseconds }
    return "KV_\(bucket)".withCString { name in
      CStrings.with(["$KV.\(bucket).>"]) { subjects, count in
        configuration.Name = name
        configuration.Subjects = subjects
        configuration.SubjectsLen = count
        return body(&configuration)
      }
    }
  }
}
