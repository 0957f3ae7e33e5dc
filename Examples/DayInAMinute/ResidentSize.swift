import Foundation

/// How much memory the process takes up.
enum ResidentSize {
  /// In kilobytes, now; `nil` on systems that do not say so in a file.
  static var now: Int? {
    guard let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " "),
      fields.count > 1, let pages = Int(fields[1])
    else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1_024
  }

  /// In kilobytes, the most that it ever was.
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
