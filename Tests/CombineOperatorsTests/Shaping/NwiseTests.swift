import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct NwiseTests {
  @Test func valuesAreDeliveredWithThoseBeforeThem() {
    #expect((1...5).publisher.nwise(3).recorded().values == [[1, 2, 3], [2, 3, 4], [3, 4, 5]])
    #expect((1...2).publisher.nwise(3).recorded().log == ["finished"])
    #expect((1...4).publisher.pairwise().map { [$0, $1] }.recorded().values == [[1, 2], [2, 3], [3, 4]])
  }

  @Test func optionalValuesArePairedToo() {
    let pairs = [1, nil, 2].publisher.pairwise().map { "\($0.map(String.init) ?? "-")\($1.map(String.init) ?? "-")" }
    #expect(pairs.recorded().values == ["1-", "-2"])
  }

  @Test func valuesThatCauseNoneAreReplacedByDemandForAnother() {
    #expect((1...9).publisher.nwise(3).recorded(demand: .max(1)).values == [[1, 2, 3]])
    #expect((1...9).publisher.pairwise().map { $1 }.recorded(demand: .max(1)).values == [2])
  }
}
