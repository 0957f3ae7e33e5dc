import InterflowTestSupport
import Testing

@testable import Interflow

@Suite struct PlacedResultsTests {
  private func takeReady(_ results: inout PlacedResults<Int>) -> [Int] {
    var taken: [Int] = []
    while results.isReady, let result = results.takeFirst() { taken.append(result) }
    return taken
  }

  @Test func theyAreTakenInTheOrderOfTheirPlaces() {
    var results = PlacedResults<Int>()
    #expect(!results.isReady)
    for place in [3, 2, 5] { results.put(place, at: place) }
    #expect(takeReady(&results) == [])
    results.put(1, at: 1)
    #expect(takeReady(&results) == [1, 2, 3])
    #expect(results.count == 1)
    results.put(4, at: 4)
    #expect(takeReady(&results) == [4, 5])
  }

  @Test func randomOrdersComeOutSorted() {
    var random = Random(1)
    for count in 1...200 {
      var results = PlacedResults<Int>()
      var taken: [Int] = []
      for place in (1...count).shuffled(using: &random) {
        results.put(place, at: place)
        if random.next() % 3 > 0 { taken += takeReady(&results) }
      }
      taken += takeReady(&results)
      #expect(taken == Array(1...count))
    }
  }

  @Test func resultsAfterAPlaceAreHandedOut() {
    var results = PlacedResults<Int>()
    for place in [1, 2, 4, 6] { results.put(place, at: place) }
    #expect(results.takeFirst() == 1)
    #expect(results.takeAll(after: 3).compactMap(\.self).sorted() == [4, 6])
    #expect(takeReady(&results) == [2])
    #expect(results.takeAll(after: 0) == [])
  }

  @Test func resultThatIsNilIsAResult() {
    var results = PlacedResults<Int?>()
    results.put(nil, at: 1)
    #expect(results.isReady)
    #expect(results.takeFirst() == .some(nil))
  }

  @Test func memoryOfABurstIsGivenBack() {
    var results = PlacedResults<Int>()
    for place in 1...10_000 { results.put(place, at: place) }
    #expect(takeReady(&results).count == 10_000)
    #expect(results.storage.isEmpty)
    results.put(1, at: 10_001)
    #expect(takeReady(&results) == [1])
  }
}
