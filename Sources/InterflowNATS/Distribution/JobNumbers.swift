/// The numbers that the jobs of one run have in their stream, to find out that a server has forgotten them. This is a state
/// machine, without threads.
///
/// A server that is killed while the stream of jobs is empty may begin to count from one, as version 2.9 does. The workers'
/// durable is where it was, and takes new jobs for delivered.
struct JobNumbers {
  /// What had been stored when the sending of a job began.
  struct Mark {
    fileprivate let last: UInt64
    fileprivate let count: Int
  }

  private var last: UInt64 = 0
  /// How often the numbers have begun again.
  private var count = 0

  var mark: Mark { Mark(last: last, count: count) }

  /// A server has stored a job.
  ///
  /// - Returns: Whether the numbers have begun again, which is reported once.
  mutating func stored(_ number: UInt64, since mark: Mark) -> Bool {
    if mark.count == count, number <= mark.last {
      last = number
      count += 1
      return true
    }
    // What was sent before the numbers began again may be reported late.
    if mark.count == count { last = max(last, number) }
    return false
  }
}
