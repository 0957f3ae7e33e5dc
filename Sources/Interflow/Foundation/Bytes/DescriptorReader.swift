#if INTERFLOW_FOUNDATION && !canImport(Darwin) && !os(Windows)
  import Dispatch
  import InterflowPrimitives

  /// Reads from a descriptor on a thread outside the pool of Swift's tasks, and waits without blocking any thread.
  final class DescriptorReader: ByteSource, @unchecked Sendable {
    // Guarded by `lock`: `pending`, `cancelled` and `watch`. Used only on `queue`: `descriptor`, `capacity` and
    // `storage`; after a successful read the consumer uses `storage`, and after a cancelled one there are no more
    // reads. Used only by the consumer: `number`.

    private struct Read {
      var number: Int
      var continuation: CheckedContinuation<Int, any Error>
    }

    private static let smallestRead = 16 * 1024
    private static let largestRead = 256 * 1024

    /// A serial queue gets a thread at once. It blocks only while it reads a file.
    private let queue = DispatchQueue(label: "interflow.reading")
    private let descriptor: Descriptor
    private let storage = ByteStorage()
    private var capacity = smallestRead
    private var number = 0
    private var pending: Read?
    private var cancelled = 0
    private var watch: Int?
    private let lock = Lock()

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
            begin(Read(number: number, continuation: continuation))
          }
        },
        onCancel: { cancel(number) },
        isolation: isolation)
      // Orders the accesses to the bytes for ThreadSanitizer, which does not see that the continuation does.
      lock.lock()
      lock.unlock()
      return UnsafeRawBufferPointer(rebasing: storage.bytes[..<count])
    }

    private func begin(_ read: Read) {
      lock.lock()
      let isCancelled = cancelled == read.number
      if !isCancelled { pending = read }
      lock.unlock()
      if isCancelled { return read.continuation.resume(throwing: CancellationError()) }
      queue.async { self.attempt(read.number) }
    }

    private func isPending(_ number: Int) -> Bool {
      lock.lock()
      defer { lock.unlock() }
      return pending?.number == number
    }

    private func attempt(_ number: Int) {
      guard isPending(number) else { return }
      storage.reserve(capacity)
      do {
        switch try descriptor.read(into: storage.bytes, if: { isPending(number) }) {
        case .read(let count):
          // If the memory was filled, there is probably more: make fewer and larger reads.
          if count == capacity { capacity = min(capacity * 4, Self.largestRead) }
          end(number, .success(count))
        case .notReady: try awaitReadiness(number)
        }
      } catch {
        end(number, .failure(error))
      }
    }

    private func awaitReadiness(_ number: Int) throws {
      // Weak: a reader that has been released does not need the result.
      let watch = ReadinessMonitor.shared.watch(try descriptor.number()) { [weak self] in
        guard let self else { return }
        queue.async { self.becameReady(number) }
      }
      lock.lock()
      let isPending = pending?.number == number
      if isPending { self.watch = watch }
      lock.unlock()
      if !isPending { ReadinessMonitor.shared.cancel(watch) }
    }

    private func becameReady(_ number: Int) {
      lock.lock()
      watch = nil
      lock.unlock()
      attempt(number)
    }

    /// Resumes the consumer at once. A read that blocks continues, and retains what it uses.
    private func cancel(_ number: Int) {
      lock.lock()
      cancelled = number
      let watch = pending?.number == number ? watch.take() : nil
      lock.unlock()
      if let watch { ReadinessMonitor.shared.cancel(watch) }
      end(number, .failure(CancellationError()))
    }

    private func end(_ number: Int, _ result: Result<Int, any Error>) {
      lock.lock()
      let read = pending?.number == number ? pending.take() : nil
      lock.unlock()
      read?.continuation.resume(with: result)
    }
  }
#endif
