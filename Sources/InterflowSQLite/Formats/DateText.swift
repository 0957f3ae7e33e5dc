/// The text of a date: `2026-11-25 19:30:41.123456789`, in UTC and in the Gregorian calendar.
///
/// Seconds are those since the beginning of 2001, as `Date` holds them.
enum DateText {
  private static let secondsOfDay = 86_400
  /// From March 1 of the year 0, with which the cycle of 400 years begins here, to the beginning of 2001.
  private static let daysBefore2001 = 730_791

  // MARK: Writing

  /// - Returns: `nil` for a date outside of the years 0000 to 9999.
  static func text(_ seconds: Double) -> String? {
    var whole = seconds.rounded(.down)
    // The difference is exact.
    var nanoseconds = ((seconds - whole) * 1e9).rounded()
    if nanoseconds == 1e9 {
      whole += 1
      nanoseconds = 0
    }
    // 10,000 years have fewer; what is not finite does not fit either.
    guard abs(whole) < 1e12 else { return nil }
    let (days, second) = floorDivided(Int(whole), by: secondsOfDay)
    let (year, month, day) = date(days)
    guard (0...9_999).contains(year) else { return nil }
    return String(unsafeUninitializedCapacity: 29) { bytes in
      var position = 0
      func append(_ number: Int, _ digits: Int, _ separator: UnicodeScalar? = nil) {
        var rest = number
        for index in (position..<position + digits).reversed() {
          bytes[index] = 0x30 + UInt8(rest % 10)
          rest /= 10
        }
        position += digits
        guard let separator else { return }
        bytes[position] = UInt8(ascii: separator)
        position += 1
      }
      append(year, 4, "-")
      append(month, 2, "-")
      append(day, 2, " ")
      append(second / 3_600, 2, ":")
      append(second / 60 % 60, 2, ":")
      append(second % 60, 2, ".")
      append(Int(nanoseconds), 9)
      return position
    }
  }

  // MARK: Reading

  /// - Returns: `nil` if the text is none of a date. Without an offset it is in UTC.
  static func seconds(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = Scanner(bytes: bytes)
      guard let seconds = scanner.scan(), scanner.isAtEnd else { return nil }
      return seconds
    }
  }

  private struct Scanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ character: UnicodeScalar) -> Bool {
      guard !isAtEnd, bytes[position] == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    private mutating func digit() -> Int? {
      guard !isAtEnd, (0x30...0x39).contains(bytes[position]) else { return nil }
      defer { position += 1 }
      return Int(bytes[position] - 0x30)
    }

    /// A number with so many digits, within a range.
    private mutating func number(_ count: Int, _ range: Range<Int>) -> Int? {
      var number = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        number = number * 10 + digit
      }
      return range.contains(number) ? number : nil
    }

    mutating func scan() -> Double? {
      guard let year = number(4, 0..<10_000), take("-"), let month = number(2, 1..<13), take("-"),
        let day = number(2, 1..<DateText.days(of: month, year) + 1)
      else { return nil }
      var seconds = DateText.days(year, month, day) * secondsOfDay
      var fraction = 0.0
      if isAtEnd { return Double(seconds) }
      guard take("T") || take("t") || take(" "), let hour = number(2, 0..<24), take(":"),
        let minute = number(2, 0..<60)
      else { return nil }
      seconds += hour * 3_600 + minute * 60
      if take(":") {
        guard let second = number(2, 0..<60) else { return nil }
        seconds += second
        if take(".") || take(",") {
          guard let part = self.fraction() else { return nil }
          fraction = part
        }
      }
      guard let offset = offset() else { return nil }
      return Double(seconds - offset) + fraction
    }

    private mutating func fraction() -> Double? {
      guard var digits = digit() else { return nil }
      var divisor = 10.0
      while let digit = digit() {
        // More would only be rounded.
        guard divisor < 1e15 else { continue }
        digits = digits * 10 + digit
        divisor *= 10
      }
      return Double(digits) / divisor
    }

    /// The seconds by which the time is ahead of UTC.
    private mutating func offset() -> Int? {
      while take(" ") {}
      if isAtEnd || take("Z") || take("z") { return 0 }
      let sign = take("+") ? 1 : take("-") ? -1 : 0
      guard sign != 0, let hours = number(2, 0..<24) else { return nil }
      guard take(":") || !isAtEnd else { return sign * hours * 3_600 }
      guard let minutes = number(2, 0..<60) else { return nil }
      return sign * (hours * 3_600 + minutes * 60)
    }
  }

  // MARK: The calendar

  /// The day of a number of days since the beginning of 2001.
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let (cycle, dayOfCycle) = floorDivided(days + daysBefore2001, by: 146_097)
    // Of the cycle, without its leap days.
    let year = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
    // From March on, whose lengths repeat every five months.
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    return (cycle * 400 + year + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day)
  }

  /// The number of days from the beginning of 2001 to a day.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let (cycle, yearOfCycle) = floorDivided(month > 2 ? year : year - 1, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - daysBefore2001
  }

  private static func days(of month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floorDivided(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
