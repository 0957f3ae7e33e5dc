/// How jobs and results are stored, and when a job is given to another worker.
///
/// All processes that use the work have to say the same settings, apart from ``retryPause``.
public struct NATSWorkSettings: Sendable, Hashable {
  /// Where the servers store jobs and results.
  public var storage: NATSStreamSettings.Storage = .file
  /// Over how many streams jobs, and results, are spread: from 1 to 64. A job is in the stream that its identifier says.
  ///
  /// One stream is led by one server of a cluster, which may be the limit to how many jobs there are in a second. With shards,
  /// several servers may lead them. A process that says another number than those before fails with
  /// ``NATSError/Kind/conflict``: to change it, delete the streams when all jobs are done.
  public var shards = 1
  /// How many servers of a cluster hold each job and each result: 1, 3 or 5.
  public var replicas = 1
  /// How long the server waits for an acknowledgement of a worker before it gives the worker's job to another. While a job
  /// runs, workers send three in-progress acknowledgements in that time.
  public var acknowledgementWait: Duration = .seconds(30)
  /// How often a job is delivered at most. A worker that crashes, one that is cancelled and one whose closure throws has
  /// used one delivery each.
  public var maxDeliveries = 5
  /// How long a job whose closure threw waits before it is delivered again.
  public var retryPause: Duration = .seconds(1)
  /// How long a result is held that is not fetched, because the process that waits for it is disconnected or has ended.
  /// Where it is disconnected for longer, its publisher fails.
  public var resultAge: Duration = .seconds(86_400)

  /// Makes settings with the defaults.
  public init() {}
}

extension NATSWorkSettings {
  func check(while operation: String) throws(NATSError) {
    try worker.check(while: operation)
    if !(1...WorkShard.maxCount).contains(shards) {
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "from 1 to \(WorkShard.maxCount) shards were expected, and not \(shards)")
    }
    if maxDeliveries < 1 || resultAge.nanoseconds <= 0 {
      throw NATSError(
        kind: .misuse, operation: operation,
        message: "at least one delivery of each job, and a time for results of more than zero were expected")
    }
  }

  var jobs: NATSStreamSettings {
    var settings = NATSStreamSettings()
    settings.retention = .workQueue
    settings.storage = storage
    settings.replicas = replicas
    return settings
  }

  var results: NATSStreamSettings {
    var settings = jobs
    settings.maxAge = resultAge
    // The server refuses a window that is longer than that.
    settings.duplicateWindow = min(settings.duplicateWindow, resultAge)
    return settings
  }

  /// The settings of the durable that all workers share.
  var worker: NATSConsumerSettings {
    var settings = NATSConsumerSettings()
    settings.acknowledgementWait = acknowledgementWait
    // The workers' demand is the limit.
    settings.maxUnacknowledged = 65_536
    return settings
  }
}
