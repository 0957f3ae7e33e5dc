/// Memory that bytes are read into.
final class ByteStorage {
  private(set) var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit {
    bytes.deallocate()
  }

  /// Makes room for at least `count` bytes. The previous contents are lost.
  func reserve(_ count: Int) {
    guard bytes.count < count else { return }
    bytes.deallocate()
    bytes = .allocate(byteCount: count, alignment: 16)
  }
}
