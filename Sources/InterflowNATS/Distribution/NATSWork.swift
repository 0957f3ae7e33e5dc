import Foundation

/// Work that is spread over machines: jobs that wait for workers, and results that wait for the jobs' publishers.
///
/// A process that has values to work on distributes them, and receives the results as a publisher:
///
/// ```swift
/// let work = try await NATSWork<String, Int>(connection, "SIZES")
/// let cancellable = names.publisher
///   .distribute(over: work, maxJobs: 16)
///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
/// ```
///
/// Any number of other processes do the work:
///
/// ```swift
/// let work = try await NATSWork<String, Int>(connection, "SIZES")
/// try await work.work(concurrency: 4) { name in try await size(of: name) }
/// ```
///
/// A job is stored until a worker has stored its result. The job of a worker that ends before is delivered to another, so
/// **a closure may run more than once for a job**, even at the same time; each result reaches the publisher once.
/// Several processes may distribute values to the same workers: each receives its own results.
public struct NATSWork<Input: Sendable, Output: Sendable>: Sendable {
  /// The name of the work.
  public let name: String
  /// How jobs and results are stored.
  public let settings: NATSWorkSettings

  let connection: NATSConnection
  let input: NATSCoding<Input>
  let output: NATSCoding<Output>
  let shards: [WorkShard]

  /// Creates the streams for jobs and results, or uses those of that name.
  ///
  /// Each stream may take ``NATSOptions/requestTimeout``, of which there are two for each of ``NATSWorkSettings/shards``.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the work retains.
  ///   - name: The name of the work, without dots and spaces. Its streams are called `name` and `name_RESULTS`, those of
  ///     other shards than the first with `_SHARD2` and so on behind that, and their subjects begin with `name`.
  ///   - settings: How jobs and results are stored, and when a job is given to another worker.
  ///   - input: How values become the bytes of a job.
  ///   - output: How results become bytes.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/conflict`` where a stream of the name exists with other settings, or the
  ///   work has another number of ``NATSWorkSettings/shards``.
  public init(
    _ connection: NATSConnection, _ name: String, settings: NATSWorkSettings = NATSWorkSettings(),
    input: NATSCoding<Input>, output: NATSCoding<Output>
  ) async throws(NATSError) {
    let operation = "creating the work “\(name)”"
    let maxLength = SubjectName.maxPartLength - WorkShard.maxSuffixLength
    try SubjectName.checkPart(name, of: "work", maxLength: maxLength, while: operation)
    try settings.check(while: operation)
    self.name = name
    self.settings = settings
    self.connection = connection
    self.input = input
    self.output = output
    var shards: [WorkShard] = []
    do throws(NATSError) {
      // The first one decides: the server refuses it with other subjects, and these say how many shards there are.
      for number in 1...settings.shards {
        shards.append(try await WorkShard(number, of: name, settings, connection))
      }
    } catch {
      guard error.kind == .conflict,
        let count = try? await Self.shardCount(of: name, connection), count != settings.shards
      else { throw error }
      throw NATSError(
        kind: .conflict, operation: operation,
        message: "the work has \(count) \(count == 1 ? "shard" : "shards"), and not \(settings.shards)",
        status: error.status, jetStreamCode: error.jetStreamCode)
    }
    self.shards = shards
  }
}

extension NATSWork {
  func shard(of id: JobID) -> WorkShard { shards[id.shard(of: shards.count)] }

  /// How many shards a work has that exists.
  private static func shardCount(of name: String, _ connection: NATSConnection) async throws(NATSError) -> Int? {
    let stream = try await NATSStream(connection, existing: name, coding: .data)
    return WorkShard.count(inSubject: stream.subject, of: name)
  }
}

extension NATSWork where Input: Codable, Output: Codable {
  /// Creates the streams for jobs and results in JSON, or uses those of that name.
  ///
  /// Each stream may take ``NATSOptions/requestTimeout``, of which there are two for each of ``NATSWorkSettings/shards``.
  ///
  /// - Parameters:
  ///   - connection: The connection, which the work retains.
  ///   - name: The name of the work, without dots and spaces.
  ///   - settings: How jobs and results are stored, and when a job is given to another worker.
  /// - Throws: A ``NATSError``; ``NATSError/Kind/conflict`` where a stream of the name exists with other settings.
  public init(
    _ connection: NATSConnection, _ name: String, settings: NATSWorkSettings = NATSWorkSettings()
  ) async throws(NATSError) {
    try await self.init(connection, name, settings: settings, input: .json, output: .json)
  }
}
