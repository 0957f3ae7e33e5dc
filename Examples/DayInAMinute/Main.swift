import Foundation
import Interflow

/// Sends ten million values, as many as a busy app may send in a day, over every bridge, and measures the memory
/// meanwhile.
///
/// Fails if a value is lost or arrives out of order, or if the memory grows.
@main
enum Program {
  static func main() async {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000
    guard count >= 20 else {
      print("usage: DayInAMinute [number of values, at least 20]")
      exit(2)
    }

    print("     values   seconds   resident")
    let clock = ContinuousClock()
    let start = clock.now
    var sizes: [Int] = []
    var next = 0
    var isInOrder = true
    await carry(prefetch: 64, from: { (0..<count).publisher }) { value in
      isInOrder = isInOrder && value == next
      next += 1
      guard next % (count / 20) == 0 else { return }
      let size = ResidentSize.now
      if let size { sizes.append(size) }
      print(line(next, clock.now - start, size))
    }
    let seconds = (clock.now - start) / .seconds(1)

    let peak = max(ResidentSize.peak, sizes.max() ?? 0)
    print("\(Int(Double(count) / seconds)) values a second; at most \(peak) KB resident")
    guard next == count else { fail("\(next) values of \(count) arrived") }
    guard isInOrder else { fail("the values arrived out of order") }
    // The first sizes include start-up costs. A leak of one byte for each value would be ten megabytes.
    if sizes.count > 10, sizes.last! > sizes[4] + 4_096 { fail("the memory grows: \(sizes) KB") }
  }

  private static func line(_ values: Int, _ time: Duration, _ size: Int?) -> String {
    let seconds = String(format: "%9.2f", time / .seconds(1))
    let resident = size.map { "\($0) KB" } ?? "unknown"
    return String(repeating: " ", count: max(0, 11 - "\(values)".count)) + "\(values) \(seconds)   \(resident)"
  }

  private static func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(1)
  }
}
