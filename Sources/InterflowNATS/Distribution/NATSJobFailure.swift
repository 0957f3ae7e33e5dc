/// A job that could not be done: what a worker says about it.
public struct NATSJobFailure: Error, Codable, Sendable, Hashable {
  /// Why a job is not tried again.
  public enum Reason: String, Codable, Sendable, Hashable {
    /// The worker's closure threw an error, in the last attempt that ``NATSWorkSettings/maxDeliveries`` permits.
    case threw
    /// The job has been delivered as often as ``NATSWorkSettings/maxDeliveries`` permits, and no worker has answered:
    /// perhaps it ends the process of each worker that tries it. Deliveries after which a worker gave it back count, too.
    case unanswered
    /// The job is no value of the worker's type.
    case undecodable
    /// The result cannot be encoded, or is larger than the server permits.
    case notStorable
  }

  /// Why the job is not tried again.
  public let reason: Reason
  /// What the error says: its description in the worker's process, or as much of it as the worker could send.
  public let message: String
  /// How often the job had been delivered to a worker, with the last time.
  public let deliveryCount: Int

  /// Makes a failure.
  public init(reason: Reason, message: String, deliveryCount: Int) {
    self.reason = reason
    self.message = message
    self.deliveryCount = deliveryCount
  }
}

extension NATSJobFailure: CustomStringConvertible {
  /// The reason and the message.
  public var description: String { "the job failed (\(reason), delivery \(deliveryCount)): \(message)" }
}
