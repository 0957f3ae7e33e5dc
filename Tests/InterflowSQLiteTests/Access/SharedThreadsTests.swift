import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

@testable import InterflowSQLite

/// Where observations run and are delivered, and what they leave for others.
@Suite struct SharedThreadsTests {
  @Test func noMoreWorkRunsThanThereAreThreads() async {
    let threads = SharedThreads(label: "test", count: 2)
    let begins = Signal()
    let ends = Signal()
    let proceed = Latch()
    let running = Shared((now: 0, most: 0))
    for _ in 0..<10 {
      threads.run {
        running.update {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        begins.fire()
        proceed.wait()
        running.update { $0.now -= 1 }
        ends.fire()
      }
    }
    await begins.wait(2)
    for _ in 0..<10 { proceed.open() }
    await ends.wait(10)
    #expect(running.value.most == 2)
  }

  @Test func workIsSerialAndInOrder() async {
    let threads = SharedThreads(label: "test", count: 3)
    let lists = (0..<20).map { _ in (SerialWork(threads), Shared<[Int]>([])) }
    let ends = Signal()
    let overlaps = Shared(0)
    for number in 0..<100 {
      for (work, list) in lists {
        let isBusy = Shared(false)
        work.async {
          if isBusy.value { overlaps.update { $0 += 1 } }
          isBusy.value = true
          list.update { $0.append(number) }
          isBusy.value = false
          ends.fire()
        }
      }
    }
    await ends.wait(2_000)
    #expect(lists.allSatisfy { $0.1.value == Array(0..<100) })
    #expect(overlaps.value == 0)
  }

  @Test func aBlockedPieceKeepsOnlyItsOwnAndItsThread() async {
    let threads = SharedThreads(label: "test", count: 2)
    let proceed = Latch()
    let blocked = SerialWork(threads)
    let other = SerialWork(threads)
    let ends = Signal()
    blocked.async { proceed.wait() }
    blocked.async { ends.fire() }
    for _ in 0..<10 { other.async { ends.fire() } }
    await ends.wait(10)
    #expect(ends.count == 10)
    proceed.open()
    await ends.wait(11)
  }

  /// Twelve queries that do not end would have every reader.
  @Test func aReadDoesNotWaitForObservations() async throws {
    try await withFile { database in
      let begins = Signal()
      let isOver = Shared(false)
      let proceed = Latch()
      let recorders = (0..<12).map { _ in RecordingSubscriber<Int, DatabaseError>(initialDemand: .unlimited) }
      for recorder in recorders {
        database.observe { db in
          begins.fire()
          if !isOver.value { proceed.wait() }
          return try db.pictures().count
        }.publisher.subscribe(recorder)
      }
      await begins.wait(3)
      let one = try await database.read { try $0.fetchOne(Int.self, sql: "SELECT 1") }
      #expect(one == 1)
      // In synchronous code too.
      let count = Shared(-1)
      onOtherThread { count.value = (try? database.read { try $0.pictures().count }) ?? -2 }
      #expect(count.value == 0)
      #expect(begins.count == 3)
      isOver.value = true
      for _ in recorders { proceed.open() }
      await until { recorders.allSatisfy { $0.values == [0] } }
      for recorder in recorders { recorder.cancel() }
    }
  }

  #if os(Linux)
    @Test func manyObservationsHaveFewThreads() async {
      await #expect(processExitsWith: .success) {
        try await withFile { database in
          try await database.write { try $0.insert(Picture(0, "a")) }
          _ = try await database.read { try $0.pictures() }
          let before = try threadCount()
          let most = Shared(0)
          let received = Signal()
          let cancellables = (0..<400).map { _ in
            database.observe { try $0.pictures().count }.publisher.sink { _ in
            } receiveValue: { _ in
              // Long enough for all others to be ready.
              usleep(1_000)
              most.update { $0 = max($0, (try? threadCount()) ?? .max) }
              received.fire()
            }
          }
          await received.wait(400)
          try await database.write { try $0.insert(Picture(1, "b")) }
          await received.wait(800)
          // Tasks can get threads meanwhile too, one for each processor.
          let limit = 12 + ProcessInfo.processInfo.activeProcessorCount
          precondition(most.value - before <= limit, "\(before) threads before, then \(most.value)")
          for cancellable in cancellables { cancellable.cancel() }
        }
      }
    }
  #endif
}
