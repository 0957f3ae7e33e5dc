/// Bytes that come in runs, one by one, and end or fail after the last. Nothing of it is known to the package.
struct ByteSequence<Failure: Error>: AsyncSequence {
  typealias Element = UInt8

  var bytes: [UInt8]
  var failure: Failure?

  func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes[...], failure: failure) }

  struct Iterator: AsyncIteratorProtocol {
    var bytes: ArraySlice<UInt8>
    var failure: Failure?

    mutating func next() async throws(Failure) -> UInt8? { try await next(isolation: nil) }

    mutating func next(isolation: isolated (any Actor)?) async throws(Failure) -> UInt8? {
      if let byte = bytes.popFirst() { return byte }
      if let failure = failure.take() { throw failure }
      return nil
    }
  }
}

extension ByteSequence where Failure == Never {
  init(_ text: String) { self.init(bytes: Array(text.utf8)) }

  init(_ bytes: [UInt8]) { self.init(bytes: bytes) }
}
