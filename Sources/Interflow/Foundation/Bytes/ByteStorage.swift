/// Memory that bytes are read into.
final class ByteStorage {
  private(set) var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit {
    bytes.deallocate()
  }

  /// Makes room for at least so many bytes. What the storage held is gone then.
  func reserve(_ count: Int) {
    guard bytes.count < count else { return }
    bytes.deallocate()
    bytes = .allocate(byteCount: count, alignment: 16)
  }
}
