@testable import InterflowPrimitives
import InterflowTestSupport
import Testing

@Suite("RingBuffer")
struct RingBufferTests {
  @Test func anEmptyBufferHasNothingToGive() {
    var buffer = RingBuffer<Int>()
    #expect(buffer.isEmpty)
    #expect(buffer.count == 0)
    #expect(buffer.first == nil)
    #expect(buffer.popFirst() == nil)
    #expect(buffer.popLast() == nil)
    buffer.removeAll()
    #expect(buffer.isEmpty)
  }

  @Test func valuesLeaveInTheOrderInWhichTheyCame() {
    var buffer = RingBuffer<Int>()
    for value in 0..<100 { buffer.append(value) }
    #expect(buffer.first == 0)
    #expect((0..<100).map { _ in buffer.popFirst() } == Array(0..<100))
    #expect(buffer.isEmpty)
  }

  @Test func theNewestValueLeavesFromTheEnd() {
    var buffer = RingBuffer<Int>()
    for value in 0..<5 { buffer.append(value) }
    #expect(buffer.popLast() == 4)
    #expect(buffer.popFirst() == 0)
    #expect(buffer.elements == [1, 2, 3])
    #expect(buffer.popLast() == 3)
    #expect(buffer.count == 2)
  }

  @Test func aNewValueReplacesTheOldest() {
    for size in 1...9 {
      var buffer = RingBuffer<Int>()
      for value in 0..<size { buffer.append(value) }
      for value in size..<40 {
        #expect(buffer.replaceFirst(with: value) == value - size)
        #expect(buffer.elements == Array((value - size + 1)...value))
      }
    }
  }

  @Test func optionalValuesAreValues() {
    var buffer = RingBuffer<Int?>()
    buffer.append(nil)
    #expect(buffer.count == 1)
    #expect(buffer.first == .some(nil))
    #expect(buffer.popFirst() == .some(nil))
    #expect(buffer.popFirst() == nil)
  }

  @Test func growthWhileTheContentsWrapAroundKeepsTheOrder() {
    for offset in 0..<16 {
      var buffer = RingBuffer<Int>()
      for value in 0..<offset {
        buffer.append(value)
        _ = buffer.popFirst()
      }
      for value in 0..<40 { buffer.append(value) }
      #expect((0..<40).map { _ in buffer.popFirst() } == Array(0..<40))
    }
  }

  @Test func aCopyIsIndependent() {
    var buffer = RingBuffer<Int>()
    for value in 0..<6 { buffer.append(value) }
    var copy = buffer
    copy.append(6)
    _ = copy.popFirst()
    #expect(buffer.count == 6)
    #expect(buffer.first == 0)
    #expect(copy.first == 1)
    var other = buffer
    _ = other.replaceFirst(with: 7)
    #expect(buffer.elements == [0, 1, 2, 3, 4, 5])
    #expect(other.elements == [1, 2, 3, 4, 5, 7])
  }

  @Test(arguments: 0..<20)
  func behavesAsAnArrayDoes(seed: UInt64) {
    var random = Random(seed)
    var buffer = RingBuffer<Int>()
    var model: [Int] = []
    for step in 0..<5_000 {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50:
        buffer.append(step)
        model.append(step)
      case 50..<80:
        #expect(buffer.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      case 80..<90:
        #expect(buffer.popLast() == model.popLast())
      case 90..<99:
        guard !model.isEmpty else { break }
        model.append(step)
        #expect(buffer.replaceFirst(with: step) == model.removeFirst())
      default:
        buffer.removeAll()
        model.removeAll()
      }
      #expect(buffer.count == model.count)
      #expect(buffer.isEmpty == model.isEmpty)
      #expect(buffer.first == model.first)
    }
  }

  @Test func whatLeavesIsReleased() {
    final class Token {}
    var buffer = RingBuffer<Token>()
    weak var first: Token?
    weak var last: Token?
    weak var other: Token?
    do {
      let tokens = [Token(), Token(), Token()]
      (first, other, last) = (tokens[0], tokens[1], tokens[2])
      for token in tokens { buffer.append(token) }
    }
    _ = buffer.popFirst()
    #expect(first == nil)
    _ = buffer.popLast()
    #expect(last == nil)
    #expect(other != nil)
    buffer.removeAll()
    #expect(other == nil)
  }

  @Test func whatABurstHasTakenIsGivenBack() {
    var buffer = RingBuffer<Int>()
    for value in 0..<100_000 { buffer.append(value) }
    while buffer.popFirst() != nil {}
    #expect(buffer.storage.isEmpty)
    buffer.append(1)
    #expect(buffer.popFirst() == 1)
  }
}
