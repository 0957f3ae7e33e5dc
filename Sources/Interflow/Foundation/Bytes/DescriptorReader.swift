#if !canImport(Darwin) && !os(Windows)
  import Dispatch

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
    private var readiness: (any DispatchSourceRead)?

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
      // A number of its own for each wait. Dispatch may miss what happens to one that is watched while another wait for
      // it begins or ends; and whoever closes the handle meanwhile does not close what is watched.
      let number = try descriptor.duplicate()
      let source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
      source.setEventHandler { [weak self] in
        self?.stopWaiting()
        self?.attempt()
      }
      source.setCancelHandler { Descriptor.close(number) }
      readiness = source
      source.activate()
    }

    private func stopWaiting() {
      readiness?.cancel()
      readiness = nil
    }

    private func cancel(_ number: Int) {
      cancelled = number
      guard pending?.number == number else { return }
      stopWaiting()
      end(.failure(CancellationError()))
    }

    private func end(_ result: Result<Int, any Error>) {
      let read = pending.take()
      read?.continuation.resume(with: result)
    }
  }
#endif
