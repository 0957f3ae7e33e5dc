/// Where a subscriber adds up what arrives.
final class Sum: @unchecked Sendable {  // A stream's signals are serial, and it is read when the stream has ended.
  var value = 0
}

/// The sum of `0..<count`, wrapping.
func sumOfIndices(_ count: Int) -> Int {
  var sum = 0
  for index in 0..<count { sum &+= index }
  return sum
}
