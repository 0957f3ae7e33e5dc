/// What a recording shows that a program should be asked about.
public struct TraceFinding: Hashable, Sendable, CustomStringConvertible {
  /// What it is.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// A subject dropped values for which there was no demand.
    case droppedValues
    /// Values came after the cancellation: work that outlives it. A value that another thread had begun to send may be one.
    case outlivesCancellation
    /// Nothing was ever requested.
    case neverRequested
    /// The subscription had not ended when the recording had: it may be a leak.
    case isLive
    /// The subscriber or the iterator was released without an end. For a sequence that is how `break` ends it.
    case released
    /// The stream failed.
    case failed
  }

  /// What it is.
  public var kind: Kind
  /// The name of the lane.
  public var lane: String
  /// The numbers of the subscriptions that show it.
  public var subscriptions: [Int]
  /// How many values it is about, of `droppedValues` and `outlivesCancellation`.
  public var valueCount = 0
  /// How long after the cancellation the last value came, of `outlivesCancellation`.
  public var delay = Duration.zero

  /// A sentence.
  public var description: String {
    let count = subscriptions.count
    let subject = "\(lane): \(count) subscription\(count == 1 ? "" : "s")"
    return switch kind {
    case .droppedValues:
      "\(subject) missed \(valueCount) value\(valueCount == 1 ? "" : "s") for want of demand"
    case .outlivesCancellation:
      "\(subject) got \(valueCount) value\(valueCount == 1 ? "" : "s") after the cancellation, up to \(delay) later"
    case .neverRequested: "\(subject) never requested a value"
    case .isLive: "\(subject) had not ended"
    case .released: "\(subject) \(count == 1 ? "was" : "were") released without an end"
    case .failed: "\(subject) failed"
    }
  }
}

extension TraceRecording {
  /// What the recording shows that a program should be asked about, by kind, and of each kind by lane.
  ///
  /// - Complexity: O(*n*) for *n* events.
  public var findings: [TraceFinding] {
    TraceFinding.Kind.allCases.flatMap { kind in lanes.compactMap { $0.finding(kind) } }
  }
}

extension TraceRecording.Lane {
  fileprivate func finding(_ kind: TraceFinding.Kind) -> TraceFinding? {
    var finding = TraceFinding(kind: kind, lane: name, subscriptions: [])
    for subscription in subscriptions {
      switch kind {
      case .outlivesCancellation:
        guard let late = subscription.afterCancellation else { continue }
        finding.valueCount += late.valueCount
        finding.delay = max(finding.delay, late.delay)
      case .droppedValues:
        let count = subscription.records.reduce(0) { $0 + ($1.kind == .drop ? 1 : 0) }
        if count == 0 { continue }
        finding.valueCount += count
      case .neverRequested: if subscription.hasRequested { continue }
      case .isLive: if !subscription.isLive { continue }
      case .released: if !subscription.contains(.release) { continue }
      case .failed:
        // A sequence may end with an error where its task is cancelled.
        if !subscription.contains(.failure) || subscription.contains(.cancellation) { continue }
      }
      finding.subscriptions.append(subscription.number)
    }
    return finding.subscriptions.isEmpty ? nil : finding
  }
}

extension TraceRecording.Subscription {
  fileprivate func contains(_ kind: EventRecord.Kind) -> Bool { records.contains { $0.kind == kind } }

  /// How many values came after the cancellation, and when the last did; nil where none did.
  fileprivate var afterCancellation: (valueCount: Int, delay: Duration)? {
    guard let index = records.firstIndex(where: { $0.kind == .cancellation }) else { return nil }
    let late = records[index...].filter { $0.kind == .value }
    guard let last = late.last else { return nil }
    let cancelled = records[index].time
    return (late.count, .nanoseconds(Int64(clamping: last.time > cancelled ? last.time - cancelled : 0)))
  }
}
