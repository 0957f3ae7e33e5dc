import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct PublisherPacksTests {
  @Test func zipJoinsAnyNumber() {
    let tuples = zip(
      [1, 2].publisher, Just("a"), [true, false].publisher, [1.5].publisher, Just(Character("x")), Just(Int?.none))
    let recorder = tuples.map { "\($0)\($1)\($2)\($3)\($4)\($5 == nil)" }.recorded()
    #expect(recorder.log == ["1atrue1.5xtrue", "finished"])
  }

  @Test func combineLatestJoinsAnyNumber() {
    let (first, second) = (CurrentValueSubject<Int, TestError>(1), CurrentValueSubject<String, TestError>("a"))
    let recorder = combineLatest(first, second, first, second, first).map { "\($0)\($1)\($4)" }.recorded()
    second.send("b")
    #expect(recorder.values.first == "1a1")
    #expect(recorder.values.last == "1b1")
    first.send(completion: .failure(TestError("no")))
    #expect(recorder.error == TestError("no"))
  }

  @Test func mergeTakesAnyNumber() {
    let recorder = merge(Just(1), [2, 3].publisher, Empty(), Just(4).map { $0 * 10 }).recorded()
    #expect(recorder.log == ["1", "2", "3", "40", "finished"])
  }
}
