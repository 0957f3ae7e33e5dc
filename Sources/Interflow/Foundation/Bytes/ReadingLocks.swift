#if INTERFLOW_FOUNDATION && !canImport(Darwin) && !os(Windows)
  import InterflowPrimitives

  /// A lock for each descriptor number, so that a read that blocks does not block reads of other descriptors.
  final class ReadingLocks: @unchecked Sendable {  // `lock` guards `all`.
    final class Entry: Sendable {
      let lock = Lock()
    }

    static let shared = ReadingLocks()

    private let lock = Lock()
    /// Never removed: numbers are used again, so there are at most as many as descriptors were open at a time.
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
