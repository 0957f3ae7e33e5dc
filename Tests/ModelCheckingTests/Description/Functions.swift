/// A function of one number that a pipeline applies.
enum Function: Hashable {
  case add(Int)
  case multiply(Int)
  case remainder(Int)

  func callAsFunction(_ value: Int) -> Int {
    switch self {
    case .add(let number): value &+ number
    case .multiply(let number): value &* number
    case .remainder(let number): value % number
    }
  }
}

extension Function: CustomStringConvertible {
  var description: String {
    switch self {
    case .add(let number): "$0 &+ \(number)"
    case .multiply(let number): "$0 &* \(number)"
    case .remainder(let number): "$0 % \(number)"
    }
  }
}

/// A condition on a number.
enum Condition: Hashable {
  case isEven
  case less(Int)
  case divisible(by: Int)
  case isNot(Int)

  func callAsFunction(_ value: Int) -> Bool {
    switch self {
    case .isEven: value & 1 == 0
    case .less(let limit): value < limit
    case .divisible(let divisor): value % divisor == 0
    case .isNot(let number): value != number
    }
  }
}

extension Condition: CustomStringConvertible {
  var description: String {
    switch self {
    case .isEven: "$0 & 1 == 0"
    case .less(let limit): "$0 < \(limit)"
    case .divisible(let divisor): "$0 % \(divisor) == 0"
    case .isNot(let number): "$0 != \(number)"
    }
  }
}

/// The error of all pipelines.
struct Mishap: Error, Hashable {
  let code: Int
}

/// One number for several: different for different ones, in all likelihood.
func digest(_ values: [Int]) -> Int {
  values.reduce(values.count) { $0 &* 31 &+ $1 }
}
