import AsyncOperators
import BenchmarkKit

@main enum Main {
  static func main() async { await Benchmarks([operatorScenarios, [rendezvous]]).run() }

  private static let rendezvous = Scenario(
    "async channel, rendezvous between two tasks", group: "async", count: 50_000,
    work: .asynchronous { count in
      let channel = AsyncChannel<Int>()
      let producer = Task.detached {
        for index in 0..<count { await channel.send(index) }
        channel.finish()
      }
      let sum = await sum(of: channel)
      await producer.value
      return sum
    }, expected: sumOfIndices)
}

/// The sum of an asynchronous sequence's elements; -1 where it fails, which none of these does. Whether the sequences of
/// the peer state that they cannot fail depends on its version.
@inline(__always)
func sum<Elements: AsyncSequence>(of elements: Elements) async -> Int where Elements.Element == Int {
  var sum = 0
  do {
    for try await element in elements { sum &+= element }
  } catch {
    return -1
  }
  return sum
}
