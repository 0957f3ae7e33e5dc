import InterflowTestSupport

/// Somebody who takes part in a run: a source of choices, the same for the same seed, and a record of what was done.
final class Participant: Sendable {
  struct Action: CustomStringConvertible {
    let time: Int
    let participant: String
    let name: StaticString
    let number: Int?

    var description: String { "\(participant): \(name)\(number.map { " \($0)" } ?? "")" }
  }

  let name: String
  private let clock: Shared<Int>
  private let random: Shared<Random>
  private let actions = Shared<[Action]>([])

  init(_ name: String, seed: UInt64, _ clock: Shared<Int>) {
    self.name = name
    self.clock = clock
    random = Shared(Random(seed))
  }

  /// A number out of a range.
  func number(_ range: ClosedRange<Int>) -> Int {
    random.update { range.lowerBound + Int($0.next() >> 33) % range.count }
  }

  /// Yes, once in so many times.
  func once(in count: Int) -> Bool { number(1...count) == 1 }

  func note(_ name: StaticString, _ number: Int? = nil) {
    let time = clock.update {
      $0 += 1
      return $0
    }
    actions.update { $0.append(Action(time: time, participant: self.name, name: name, number: number)) }
  }

  /// Lets others act, sometimes several times.
  func pause() async {
    for _ in 0..<max(0, number(-1...2)) { await Task.yield() }
  }

  var trace: [Action] { actions.value }
}
