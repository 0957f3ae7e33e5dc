import InterflowTestSupport
import Testing

@testable import Interflow

struct LineScanTests {
  private func candidate(_ bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      return LineScan.candidate(base + start, base + buffer.count) - base
    }
  }

  @Test func everyByteIsSeenForWhatItIsAtEveryPlace() {
    let candidates: Set<UInt8> = [0x0A, 0x0B, 0x0C, 0x0D, 0xC2, 0xE2]
    for byte in UInt8.min...UInt8.max {
      for place in 0..<20 {
        for filler: UInt8 in [0x61, 0x00, 0x09, 0x0E, 0x80, 0x8A, 0xC1, 0xC3, 0xE1, 0xFF] {
          var bytes = [UInt8](repeating: filler, count: 20)
          bytes[place] = byte
          let found = candidate(bytes, from: 0)
          if found != (candidates.contains(byte) ? place : 20) {
            Issue.record("\(byte) at \(place) among \(filler): found at \(found)")
          }
        }
      }
    }
  }

  @Test func theFirstOfSeveralIsFound() {
    var random = Random(7)
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        [0x0A, 0xC2, 0xE2, 0x0D, 0x09, 0x61, 0xC1, 0x8A].randomElement(using: &random) ?? UInt8(0)
      }
      let start = Int.random(in: 0..<bytes.count, using: &random)
      let expected = bytes[start...].firstIndex { (0x0A...0x0D).contains($0) || $0 == 0xC2 || $0 == 0xE2 }
      #expect(candidate(bytes, from: start) == expected ?? bytes.count)
    }
  }
}
