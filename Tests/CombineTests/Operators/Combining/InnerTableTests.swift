import InterflowTestSupport
import Testing

@testable import Combine

@Suite("InnerTable")
struct InnerTableTests {
  @Test func anInnerTableHoldsWhatWasInsertedAndNotRemoved() {
    for seed in 0..<20 {
      var random = Random(UInt64(seed))
      var table = InnerTable()
      var model: [TableLink] = []
      for _ in 0..<300 {
        if model.isEmpty || Int.random(in: 0..<5, using: &random) < 3 {
          let link = TableLink("Test")
          table.insert(link)
          model.append(link)
        } else {
          let link = model.remove(at: Int.random(in: 0..<model.count, using: &random))
          table.remove(link)
          table.remove(link)
        }
        #expect(Set(table.members.map(ObjectIdentifier.init)) == Set(model.map(ObjectIdentifier.init)))
        #expect(table.members.enumerated().allSatisfy { $0.offset == $0.element.tableIndex })
        #expect(table.isEmpty == model.isEmpty)
      }
    }
  }

  @Test func anInnerTableIgnoresAStranger() {
    var (one, other) = (InnerTable(), InnerTable())
    let (mine, stranger) = (TableLink("Test"), TableLink("Test"))
    one.insert(mine)
    other.insert(stranger)
    one.remove(stranger)
    #expect(one.members.count == 1)
    one.remove(TableLink("Test"))
    #expect(one.members.count == 1)
  }
}
