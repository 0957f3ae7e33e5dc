import Combine
import InterflowTestSupport
import Testing

@Suite("CombineIdentifier")
struct CombineIdentifierTests {
  @Test func newIdentifiersDifferAlsoAmongThreads() {
    let seen = Shared(Set<CombineIdentifier>())
    inParallel(4) { _ in
      let mine = (0..<500).map { _ in CombineIdentifier() }
      seen.update { $0.formUnion(mine) }
    }
    #expect(seen.value.count == 2_000)
  }

  @Test func anObjectHasOneIdentifier() {
    final class Object {}
    let (first, second) = (Object(), Object())
    #expect(CombineIdentifier(first) == CombineIdentifier(first))
    #expect(CombineIdentifier(first) != CombineIdentifier(second))
    #expect(CombineIdentifier(first).hashValue == CombineIdentifier(first).hashValue)
  }

  @Test func objectsAreIdentifiedByThemselves() {
    final class Object: CustomCombineIdentifierConvertible {}
    let object = Object()
    #expect(object.combineIdentifier == CombineIdentifier(object))
  }

  @Test func isDescribedAsAHexadecimalNumber() {
    let description = CombineIdentifier().description
    #expect(description.hasPrefix("0x"))
    #expect(UInt(description.dropFirst(2), radix: 16) != nil)
    #expect(CombineIdentifier().description != CombineIdentifier().description)
  }
}
