// So that a program can hand its recording to another one, which merges it with its own.
extension TraceRecording: Codable {
  private enum CodingKeys: CodingKey {
    case startDate, duration, droppedCount, lanes, work
  }

  /// Reads a recording that was encoded.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    startDate = try values.decode(Int64.self, forKey: .startDate)
    duration = try values.decode(Duration.self, forKey: .duration)
    droppedCount = try values.decode(Int.self, forKey: .droppedCount)
    lanes = try values.decode([Lane].self, forKey: .lanes)
    work = try values.decode([Work].self, forKey: .work)
    // What comes from elsewhere may be anything. Sums of these must fit.
    let numbers = lanes.flatMap(\.subscriptions).map { Int64(clamping: $0.number) }
    let times =
      [duration] + work.flatMap { [$0.start, $0.duration] }
      + lanes.flatMap(\.subscriptions).flatMap(\.records).map { .nanoseconds(Int64(clamping: $0.time)) }
    guard ([startDate, Int64(clamping: droppedCount)] + numbers).allSatisfy(Self.permitted.contains),
      times.allSatisfy({ (.zero ... .nanoseconds(Self.permitted.upperBound)).contains($0) })
    else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "numbers and times from 0 to \(Self.permitted.upperBound) were expected"))
    }
  }

  /// A hundred years, in nanoseconds.
  private static let permitted: ClosedRange<Int64> = 0...3_155_760_000_000_000_000

  /// Writes the recording.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(startDate, forKey: .startDate)
    try values.encode(duration, forKey: .duration)
    try values.encode(droppedCount, forKey: .droppedCount)
    try values.encode(lanes, forKey: .lanes)
    try values.encode(work, forKey: .work)
  }
}

extension TraceRecording.Subscription: Codable {
  private enum CodingKeys: CodingKey {
    case number, isLive, hasRequested, records
  }

  /// Reads a subscription that was encoded.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    number = try values.decode(Int.self, forKey: .number)
    isLive = try values.decode(Bool.self, forKey: .isLive)
    hasRequested = try values.decode(Bool.self, forKey: .hasRequested)
    records = try values.decode([EventRecord].self, forKey: .records)
  }

  /// Writes the subscription.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(number, forKey: .number)
    try values.encode(isLive, forKey: .isLive)
    try values.encode(hasRequested, forKey: .hasRequested)
    try values.encode(records, forKey: .records)
  }
}

/// A list of numbers, since there are many.
extension EventRecord: Codable {
  init(from decoder: any Decoder) throws {
    var values = try decoder.unkeyedContainer()
    time = try values.decode(UInt64.self)
    cause = try values.decode(UInt64.self)
    subscription = try values.decode(UInt32.self)
    number = try values.decode(UInt32.self)
    name = 0
    thread = try values.decode(UInt16.self)
    guard let kind = Kind(rawValue: try values.decode(UInt8.self)) else {
      throw DecodingError.dataCorruptedError(in: values, debugDescription: "the kind of an event was expected")
    }
    self.kind = kind
    value = .none
    guard let form = RecordedValue.Form(rawValue: try values.decode(UInt8.self)) else {
      throw DecodingError.dataCorruptedError(in: values, debugDescription: "the form of a value was expected")
    }
    value.form = form
    value.count = try values.decode(UInt8.self)
    guard value.count <= RecordedValue.capacity else {
      throw DecodingError.dataCorruptedError(in: values, debugDescription: "a text of at most 24 bytes was expected")
    }
    value.bytes = (
      try values.decode(UInt64.self), try values.decode(UInt64.self), try values.decode(UInt64.self)
    )
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    try values.encode(time)
    try values.encode(cause)
    try values.encode(subscription)
    try values.encode(number)
    try values.encode(thread)
    try values.encode(kind.rawValue)
    try values.encode(value.form.rawValue)
    try values.encode(value.count)
    try values.encode(value.bytes.0)
    try values.encode(value.bytes.1)
    try values.encode(value.bytes.2)
  }
}
