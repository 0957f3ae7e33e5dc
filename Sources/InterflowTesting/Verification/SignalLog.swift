/// A log that keeps the first and the last lines.
struct SignalLog {
  private var first: [String] = []
  private var last: [String] = []
  private var count = 0
  private var threads: [UInt: Int] = [:]

  /// Adds a line, after a short name for its thread.
  mutating func append(_ line: String, on thread: UInt) {
    let number = threads[thread] ?? threads.count + 1
    threads[thread] = number
    let entry = "T\(number) \(line)"
    count += 1
    if first.count < 30 {
      first.append(entry)
    } else {
      if last.count == 15 { last.removeFirst() }
      last.append(entry)
    }
  }

  var lines: [String] {
    let left = count - first.count - last.count
    return first + (left > 0 ? ["... \(left) more ..."] : []) + last
  }
}
