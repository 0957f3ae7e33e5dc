import InterflowTesting
import Testing

@Suite struct InterflowTestingExportsTests {
  @Test func theModuleBringsCombineAndTheBridgeAlong() async {
    var seen: [Int] = []
    for await value in [1, 2].publisher.asyncValues { seen.append(value) }
    #expect(seen == [1, 2])
  }
}
