import Foundation

/// The resident memory of the process.
enum ResidentSize {
  /// The current size in kilobytes; `nil` on systems without `/proc`.
  static var now: Int? {
    guard let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " "),
      fields.count > 1, let pages = Int(fields[1])
    else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1_024
  }

  /// The largest size so far, in kilobytes.
  static var peak: Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss / 1_024
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss
    #endif
  }
}
