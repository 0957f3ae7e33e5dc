import InterflowSQLite
import Testing

@testable import FileIndexCore

@Suite("Stored run")
struct StoredRunTests {
  private let stamp = FileStamp(inode: 1, size: 2, modified: 3, changed: 4)

  private func withStore(_ body: (IndexStore) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let store = try await IndexStore(file: folder.location("database"), createsFile: true)
    try await body(store)
    await store.close()
  }

  private func file(_ path: EntryPath, bytes: Int = 100, stamp: FileStamp? = nil) -> IndexedFile {
    IndexedFile(path: path, bytes: bytes, lines: 1, checksum: 0xFFFF_FFFF, stamp: stamp)
  }

  private func report(_ store: IndexStore, of folder: EntryPath = "/a") async throws -> IndexReport? {
    let query = store.report(of: folder, name: "name")
    return try await store.database.read { try query($0) }
  }

  /// Looks a file up on another thread, as the program does.
  private func known(_ run: StoredRun, _ path: EntryPath, _ stamp: FileStamp) async -> IndexedFile? {
    await withTaskExecutorPreference(ReadingExecutor()) { run.known(path, stamp) }
  }

  @Test("A report of what was stored is the one that was collected")
  func report() async throws {
    try await withStore { store in
      // A name that is no text, as a file system may have it.
      let odd = EntryPath(bytes: [0x61, 0xFF, 0x2E, 0x43])
      let outcomes: [Outcome] = [
        .indexed(file("a.swift")), .indexed(file("b.swift", bytes: 300)), .indexed(file(odd)),
        .failed(FailedEntry(path: "lost", reason: "gone")), .skipped(SkippedEntry(path: "l", rule: .folderLink)),
        .skipped(SkippedEntry(path: ".git", rule: .toolFolder)),
      ]
      var expected = IndexReport(folder: "name")
      // In the order of the paths, as they are stored.
      for outcome in outcomes.dropLast(2) + outcomes.suffix(2).reversed() { expected.add(outcome) }
      expected.walked = 4
      expected.elapsed = .seconds(2)
      expected.reuse = IndexReport.Reuse()
      let run = try await store.beginRun(over: "/a")
      try await run.store(outcomes, walked: 4, elapsed: .seconds(1))
      try await run.end(.complete, walked: 4, elapsed: .seconds(2))
      #expect(try await report(store) == expected)
      #expect(try await report(store, of: "/other") == nil)
    }
  }

  @Test("A file is known with the same stamp alone")
  func known() async throws {
    try await withStore { store in
      let first = try await store.beginRun(over: "/a")
      #expect(await known(first, "f", stamp) == nil)
      try await first.store([.indexed(file("f", stamp: stamp)), .indexed(file("new"))], walked: 2, elapsed: .zero)
      let run = try await store.beginRun(over: "/a")
      #expect(await known(run, "f", stamp) == file("f"))
      #expect(await known(run, "g", stamp) == nil)
      #expect(await known(run, "new", stamp) == nil)
      for part in [\FileStamp.inode, \.size, \.modified, \.changed] {
        var other = stamp
        other[keyPath: part] += 1
        #expect(await known(run, "f", other) == nil)
      }
      #expect(await known(try await store.beginRun(over: "/b"), "f", stamp) == nil)
    }
  }

  @Test("A complete run removes what it has not found, an interrupted one does not")
  func removal() async throws {
    try await withStore { store in
      let first = try await store.beginRun(over: "/a")
      try await first.store(
        [.indexed(file("f")), .indexed(file("gone", stamp: stamp))], walked: 2, elapsed: .zero)
      try await first.end(.complete, walked: 2, elapsed: .zero)
      let other = try await store.beginRun(over: "/b")
      try await other.store([.indexed(file("f"))], walked: 1, elapsed: .zero)

      let second = try await store.beginRun(over: "/a")
      try await second.store([.unchanged(file("f"))], walked: 1, elapsed: .zero)
      try await second.end(.interrupted, walked: 1, elapsed: .zero)
      #expect(try await report(store)?.totals.files == 1)
      #expect(await known(second, "gone", stamp) != nil)

      let third = try await store.beginRun(over: "/a")
      try await third.store([.unchanged(file("f"))], walked: 1, elapsed: .zero)
      try await third.end(.complete, walked: 1, elapsed: .zero)
      #expect(try await report(store)?.reuse == IndexReport.Reuse(unchanged: 1, removed: 1))
      #expect(await known(third, "gone", stamp) == nil)
      #expect(try await report(store, of: "/b")?.totals.files == 1)
    }
  }

  @Test("An entry is what the last run has found")
  func replacement() async throws {
    try await withStore { store in
      let first = try await store.beginRun(over: "/a")
      try await first.store([.indexed(file("f", stamp: stamp))], walked: 1, elapsed: .zero)
      try await first.end(.complete, walked: 1, elapsed: .zero)
      let second = try await store.beginRun(over: "/a")
      try await second.store([.failed(FailedEntry(path: "f", reason: "r"))], walked: 1, elapsed: .zero)
      try await second.end(.complete, walked: 1, elapsed: .zero)
      let report = try await report(store)
      #expect(report?.totals.files == 0)
      #expect(report?.failures == [FailedEntry(path: "f", reason: "r")])
      #expect(await known(second, "f", stamp) == nil)
    }
  }

  @Test("The numbers of a run follow its transactions")
  func counts() async throws {
    try await withStore { store in
      let run = try await store.beginRun(over: "/a")
      var counts = run.counts.values.makeAsyncIterator()
      #expect(try await counts.next() == Progress.Counts(walked: 0, indexed: 0, failed: 0))
      try await run.store(
        [.indexed(file("f")), .unchanged(file("g")), .failed(FailedEntry(path: "h", reason: "r"))], walked: 9,
        elapsed: .zero)
      #expect(try await counts.next() == Progress.Counts(walked: 9, indexed: 2, failed: 1))
    }
  }

  @Test("A run fails once another one over the same folder has begun")
  func overtaken() async throws {
    try await withStore { store in
      let first = try await store.beginRun(over: "/a")
      let second = try await store.beginRun(over: "/a")
      for isLast in [false, true] {
        let problem = await #expect(throws: StoreProblem.self) {
          if isLast {
            try await first.end(.complete, walked: 1, elapsed: .zero)
          } else {
            try await first.store([.indexed(file("f"))], walked: 1, elapsed: .zero)
          }
        }
        #expect(problem?.reason == "another run over the same folder has begun")
      }
      #expect(try await report(store)?.totals.files == 0)
      try await second.end(.complete, walked: 0, elapsed: .zero)
      #expect(try await report(store)?.ending == .complete)
    }
  }
}
