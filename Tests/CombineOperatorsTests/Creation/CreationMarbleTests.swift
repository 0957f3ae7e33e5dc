import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct CreationMarbleTests {
  static let rows = [
    MarbleRow(
      "create",
      a: "-a-b-#",
      is: "-a-b-#"
    ) { inputs in
      AnyPublisher<String, TestError>.create { subscriber in
        inputs.a.sink {
          subscriber.send(completion: $0)
        } receiveValue: {
          subscriber.send($0)
        }
      }
    },
    MarbleRow(
      "create(buffering:)",
      a: "-a-b-#",
      is: "-a-b-#"
    ) { inputs in
      AnyPublisher<String, TestError>.create(buffering: .bufferingNewest(1)) { subscriber in
        inputs.a.sink {
          subscriber.send(completion: $0)
        } receiveValue: {
          subscriber.send($0)
        }
      }
    },
    MarbleRow(
      "Interval",
      a: "--a-a-a",
      is: "--0-1-(2|)"
    ) { Publishers.Interval(every: .seconds(2), on: $0.scheduler).prefix(3).map { "\($0)" } },
    MarbleRow(
      "Unfold",
      a: "|",
      is: "(124|)"
    ) { _ in
      Publishers.Unfold(1) { power in
        defer { power *= 2 }
        return power < 8 ? "\(power)" : nil
      }
    },
  ]

  @Test(arguments: rows) func deliversAsDrawn(row: MarbleRow) throws {
    try row.check()
  }
}
