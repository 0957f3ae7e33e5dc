/// The sum of `0..<count`, wrapping.
@Sendable package func sumOfIndices(_ count: Int) -> Int {
  var sum = 0
  for index in 0..<count { sum &+= index }
  return sum
}

/// Twice the sum of `0..<count`.
@Sendable package func doubled(_ count: Int) -> Int { sumOfIndices(count) &* 2 }

/// What the chain `map.filter.map` makes of `0..<count`.
@Sendable package func mapFilterMap(_ count: Int) -> Int {
  var sum = 0
  for index in 0..<count where (index &+ 1) & 1 == 0 { sum &+= (index &+ 1) &* 2 }
  return sum
}
