import Foundation

// Without a locale, so that the output is the same on every machine.

extension Int {
  /// The number with a comma between groups of three digits.
  var grouped: String {
    let digits = Array(String(magnitude))
    let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[Swift.max($0 - 3, 0)..<$0]) }
    return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
  }
}

extension Double {
  /// The number with a fixed number of digits after the decimal point.
  func fixed(_ digits: Int) -> String {
    String(format: "%.\(digits)f", self)
  }
}
