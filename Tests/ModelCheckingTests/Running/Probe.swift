/// What all closures of a pipeline hold, so that a test sees whether they have been released.
final class Probe {
  private var uses = 0

  func apply(_ function: Function, _ value: Int) -> Int {
    uses &+= 1
    return function(value)
  }

  func test(_ condition: Condition, _ value: Int) -> Bool {
    uses &+= 1
    return condition(value)
  }

  func check(_ throwing: Condition, _ value: Int) throws {
    uses &+= 1
    if throwing(value) { throw Mishap(code: value) }
  }

  func fold(_ result: Int, _ value: Int) -> Int {
    uses &+= 1
    return result &* 3 &+ value
  }

  func note() { uses &+= 1 }
}
