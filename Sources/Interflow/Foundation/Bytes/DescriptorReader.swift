#if !canImport(Darwin) && !os(Windows)
  import Dispatch
  import InterflowPrimitives

  /// Reads from a descriptor on a thread that is none of those on which tasks run, and waits without any thread.
  final class DescriptorReader: ByteSource, @unchecked Sendable {
    // Confined to `queue`: everything mutable. While no read is under way, `storage` is the consumer's, and `number`
    // always.

    private struct Read {
      var number: Int
      var continuation: CheckedContinuation<Int, any Error>
    }

    private static let smallestRead = 16 * 1024
    private static let largestRead = 256 * 1024

    /// A serial queue gets a thread at once; it blocks in `read` of a file only.
    private let queue = DispatchQueue(label: "interflow.reading")
    private let descriptor: Descriptor
    private let storage = ByteStorage()
    private var capacity = smallestRead
    private var number = 0
    private var pending: Read?
    private var cancelled = 0
    private var watch: Int?
    /// Shows ThreadSanitizer, which does not see that continuations do, that a read's bytes are handed over.
    private let handover = Lock()

    init(_ descriptor: Descriptor) {
      self.descriptor = descriptor
    }

    func read(isolation: isolated (any Actor)?) async throws -> UnsafeRawBufferPointer {
      try Task.checkCancellation()
      number += 1
      let number = number
      let count = try await withTaskCancellationHandler(
        operation: {
          try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
            queue.async { self.begin(Read(number: number, continuation: continuation)) }
          }
        },
        onCancel: { queue.async { self.cancel(number) } },
        isolation: isolation)
      handover.lock()
      handover.unlock()
      return UnsafeRawBufferPointer(rebasing: storage.bytes[..<count])
    }

    private func begin(_ read: Read) {
      pending = read
      if cancelled == read.number { return end(.failure(CancellationError())) }
      storage.reserve(capacity)
      attempt()
    }

    private func attempt() {
      do {
        switch try descriptor.read(into: storage.bytes) {
        case .read(let count):
          // Who fills the memory has more: fewer and larger reads then.
          if count == capacity { capacity = min(capacity * 4, Self.largestRead) }
          end(.success(count))
        case .notReady: try awaitReadiness()
        }
      } catch {
        end(.failure(error))
      }
    }

    private func awaitReadiness() throws {
      guard let number = pending?.number else { return }
      // The monitor holds no reader: one that has gone waits for nothing.
      watch = ReadinessMonitor.shared.watch(try descriptor.number()) { [weak self] in
        guard let self else { return }
        queue.async { self.becameReady(number) }
      }
    }

    private func becameReady(_ number: Int) {
      guard pending?.number == number else { return }
      watch = nil
      attempt()
    }

    private func cancel(_ number: Int) {
      cancelled = number
      guard pending?.number == number else { return }
      if let watch { ReadinessMonitor.shared.cancel(watch) }
      watch = nil
      end(.failure(CancellationError()))
    }

    private func end(_ result: Result<Int, any Error>) {
      let read = pending.take()
      handover.lock()
      handover.unlock()
      read?.continuation.resume(with: result)
    }
  }
#endif
