#if !canImport(Darwin) && !os(Windows)
  import InterflowPrimitives

  /// A lock for each descriptor, by its number: what blocks on one keeps none of the others waiting.
  final class ReadingLocks: @unchecked Sendable {  // `lock` guards `all`.
    final class Entry: Sendable {
      let lock = Lock()
    }

    static let shared = ReadingLocks()

    private let lock = Lock()
    /// They stay: numbers are used again, and there are never more than a process has had descriptors at a time.
    private var all: [Int32: Entry] = [:]

    func entry(for number: Int32) -> Entry {
      lock.lock()
      defer { lock.unlock() }
      if let entry = all[number] { return entry }
      let entry = Entry()
      all[number] = entry
      return entry
    }
  }
#endif
