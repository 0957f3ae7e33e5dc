import InterflowTestSupport
import Testing

@testable import InterflowTracing

@Suite struct RowsTests {
  private typealias Extent = (begin: UInt64, end: UInt64)

  /// Each in the first row that is free, as one sees at once.
  private func expected(_ elements: [Extent]) -> [[Extent]] {
    var rows: [[Extent]] = []
    for element in elements {
      if let row = rows.firstIndex(where: { $0.last!.end <= element.begin }) {
        rows[row].append(element)
      } else {
        rows.append([element])
      }
    }
    return rows
  }

  @Test func eachIsInTheFirstRowThatIsFree() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let elements = (0..<Int.random(in: 0...40, using: &random)).map { _ -> Extent in
        let begin = UInt64.random(in: 0...30, using: &random)
        return (begin, begin + UInt64.random(in: 0...10, using: &random))
      }.sorted { $0.begin < $1.begin }
      let rows = packed(elements) { $0 }
      #expect(rows.count == expected(elements).count)
      #expect(zip(rows, expected(elements)).allSatisfy { $0.elementsEqual($1, by: ==) }, "\(elements)")
    }
  }

  @Test func manyThatOverlap() {
    let elements = (0..<100_000 as Range<UInt64>).map { (begin: $0, end: UInt64.max) }
    #expect(packed(elements) { $0 }.count == 100_000)
  }
}
