import AsyncOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct AsyncBufferedByteIteratorTests {
  /// Reads numbers that count up, so many at a time, until there are enough.
  final class Reader: Sendable {
    let log = ProbeLog()
    let sizes: [Int]

    init(_ sizes: [Int]) { self.sizes = sizes }

    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
      let call = log.pulls
      log.count()
      guard call < sizes.count else { return 0 }
      let first = sizes[..<call].reduce(0, +)
      for offset in 0..<sizes[call] { buffer[offset] = UInt8(truncatingIfNeeded: first + offset) }
      return sizes[call]
    }
  }

  @Test func bytesAreReadWhenTheBufferIsEmpty() async throws {
    let reader = Reader([3, 2])
    var iterator = AsyncBufferedByteIterator(capacity: 3) { reader.read($0) }
    #expect(reader.log.pulls == 0)
    var reads: [Int] = []
    for byte in 0..<5 {
      #expect(try await iterator.next() == UInt8(byte))
      reads.append(reader.log.pulls)
    }
    #expect(reads == [1, 1, 1, 2, 2])
    for _ in 0..<3 { #expect(try await iterator.next() == nil) }
    #expect(reader.log.pulls == 3)
  }

  @Test func randomReadsGiveAllBytes() async throws {
    for seed in 0..<100 as Range<UInt64> {
      var random = Random(seed)
      let capacity = Int.random(in: 1...40, using: &random)
      let reader = Reader(
        (0..<Int.random(in: 0...9, using: &random)).map { _ in .random(in: 1...capacity, using: &random) })
      var iterator = AsyncBufferedByteIterator(capacity: capacity) { reader.read($0) }
      var bytes: [UInt8] = []
      while let byte = try await iterator.next() { bytes.append(byte) }
      #expect(bytes == (0..<reader.sizes.reduce(0, +)).map { UInt8(truncatingIfNeeded: $0) })
    }
  }

  @Test func anErrorEndsTheBytes() async throws {
    var iterator = AsyncBufferedByteIterator(capacity: 1) { _ in throw TestError("read") }
    await #expect(throws: TestError("read")) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func copiesHaveTheirOwnPlaces() async throws {
    let reader = Reader([3, 3])
    var first = AsyncBufferedByteIterator(capacity: 3) { reader.read($0) }
    #expect(try await first.next() == 0)
    var second = first
    for byte in 1...5 as ClosedRange<UInt8> { #expect(try await first.next() == byte) }
    // The first one has filled a buffer since, which is not the second one's.
    #expect(try await second.next() == 1)
    #expect(try await second.next() == 2)
  }

  @Test func aCancelledTaskGetsTheBufferAndThenAnError() async {
    let reader = Reader([2, 2])
    let task = Task {
      var iterator = AsyncBufferedByteIterator(capacity: 2) { reader.read($0) }
      let first = try await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(try await iterator.next() == 1)
      await #expect(throws: CancellationError.self) { try await iterator.next() }
      #expect(try await iterator.next() == nil)
      return first
    }
    #expect(await task.result.get(or: 9) == 0)
    #expect(reader.log.pulls == 1)
  }

  @Test @MainActor func bytesAreReadOnTheConsumersActor() async throws {
    var iterator = AsyncBufferedByteIterator(capacity: 2) { _ in
      MainActor.preconditionIsolated()
      return 0
    }
    #expect(try await iterator.next() == nil)
  }

  @Test func wrongNumbersTrap() async {
    await #expect(processExitsWith: .failure) { _ = AsyncBufferedByteIterator(capacity: 0) { _ in 0 } }
    await #expect(processExitsWith: .failure) {
      var iterator = AsyncBufferedByteIterator(capacity: 2) { _ in 3 }
      _ = try await iterator.next()
    }
  }
}

extension Result {
  fileprivate func get(or value: @autoclosure () -> Success) -> Success {
    guard case .success(let success) = self else { return value() }
    return success
  }
}
