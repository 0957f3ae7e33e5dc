/// What happened once, as a recorder keeps it: 56 bytes, which refer to nothing of the program.
struct EventRecord: Sendable {
  enum Kind: UInt8, Sendable {
    case subscription
    /// The subscription was there before the recording.
    case joined
    case request
    case value
    case finished
    case failure
    case cancellation
    /// The publisher has released the subscriber, or the iterator was dropped, without an end.
    case release
    /// A subject has dropped a value for want of demand.
    case drop
    /// Work that was measured, such as a statement of a database.
    case work
  }

  // The order leaves no gaps.
  var value = RecordedValue.none
  /// The number of the name.
  var name: UInt16
  /// The number of the thread.
  var thread: UInt16
  var kind: Kind
  /// The number of the subscription, from 1 on. How long ago it began, in microseconds, of work.
  var subscription: UInt32
  /// The number of a value among those of its subscription, from 1 on. Of work, the number of its text, and in the upper
  /// half that of its failure's, from 1 on, or zero.
  var number: UInt32 = 0
  /// In nanoseconds since the beginning of the recording.
  var time: UInt64
  /// The value whose delivery was under way when this came: its subscription in the upper half, its number in the lower
  /// one, or zero. How long it took, of work.
  var cause: UInt64 = 0

  static func identity(subscription: UInt32, number: UInt32) -> UInt64 { UInt64(subscription) << 32 | UInt64(number) }
}

/// A value, an error or a demand, as a recorder keeps it.
@usableFromInline
struct RecordedValue: Sendable {
  enum Form: UInt8, Sendable {
    case none
    case signed
    case unsigned
    case number
    case boolean
    case text
    /// Text that was longer.
    case cutText
    /// A `Float`. Its shortest text is not that of the `Double`.
    case float
  }

  /// The most bytes of a text.
  static let capacity = 24

  var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)
  var form: Form
  var count: UInt8 = 0

  init(form: Form, bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)) {
    self.form = form
    self.bytes = bytes
  }

  static let none = RecordedValue(form: .none)

  static func signed(_ number: some BinaryInteger) -> RecordedValue {
    RecordedValue(form: .signed, bytes: (UInt64(bitPattern: Int64(truncatingIfNeeded: number)), 0, 0))
  }

  static func unsigned(_ number: some BinaryInteger) -> RecordedValue {
    RecordedValue(form: .unsigned, bytes: (UInt64(truncatingIfNeeded: number), 0, 0))
  }

  static func number(_ number: Double) -> RecordedValue {
    RecordedValue(form: .number, bytes: (number.bitPattern, 0, 0))
  }

  static func float(_ number: Float) -> RecordedValue {
    RecordedValue(form: .float, bytes: (UInt64(number.bitPattern), 0, 0))
  }

  static func boolean(_ value: Bool) -> RecordedValue {
    RecordedValue(form: .boolean, bytes: (value ? 1 : 0, 0, 0))
  }

  /// As much of a text as fits: whole characters of Unicode's, since a part of one would be no text.
  static func text(_ text: some StringProtocol) -> RecordedValue {
    var value = RecordedValue(form: .text)
    var count = 0
    withUnsafeMutableBytes(of: &value.bytes) { bytes in
      for scalar in text.unicodeScalars {
        let units = UTF8.encode(scalar)!
        guard count + units.count <= capacity else {
          value.form = .cutText
          break
        }
        for unit in units {
          bytes[count] = unit
          count += 1
        }
      }
    }
    value.count = UInt8(count)
    return value
  }

  /// The text, without the mark of one that was longer; nil where nothing was kept.
  var description: String? {
    switch form {
    case .none: nil
    case .signed: "\(Int64(bitPattern: bytes.0))"
    case .unsigned: "\(bytes.0)"
    case .number: "\(Double(bitPattern: bytes.0))"
    case .float: "\(Float(bitPattern: UInt32(truncatingIfNeeded: bytes.0)))"
    case .boolean: bytes.0 == 1 ? "true" : "false"
    case .text, .cutText:
      withUnsafeBytes(of: bytes) { String(decoding: $0.prefix(Int(count)), as: UTF8.self) }
    }
  }
}
