#if INTERFLOW_FOUNDATION_NETWORKING && !canImport(Darwin) && !os(Windows)
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Reads the body of a transfer.
  final class TransferReader: ByteSource {
    private let transfer: Transfer
    private let storage = ByteStorage()

    init(_ transfer: Transfer) {
      self.transfer = transfer
    }

    func read(isolation: isolated (any Actor)?) async throws -> UnsafeRawBufferPointer {
      while let data = try await transfer.next(isolation: isolation) {
        guard !data.isEmpty else { continue }
        storage.reserve(data.count)
        data.copyBytes(to: storage.bytes)
        return UnsafeRawBufferPointer(rebasing: storage.bytes[..<data.count])
      }
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  /// Reads the resource that a URL names, through the shared session.
  final class RemoteReader: ByteSource {
    private let url: URL
    private var reader: TransferReader?

    init(_ url: URL) {
      self.url = url
    }

    func read(isolation: isolated (any Actor)?) async throws -> UnsafeRawBufferPointer {
      if let reader { return try await reader.read(isolation: isolation) }
      try Task.checkCancellation()
      let transfer = Transfer(URLRequest(url: url), of: .shared, delegate: nil)
      do {
        _ = try await transfer.response(isolation: isolation)
      } catch {
        try Task.checkCancellation()
        throw error
      }
      let reader = TransferReader(transfer)
      self.reader = reader
      return try await reader.read(isolation: isolation)
    }
  }
#endif
