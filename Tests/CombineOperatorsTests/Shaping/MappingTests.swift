import CombineOperators
import InterflowTestSupport
import InterflowTesting
import Testing

@Suite struct MappingTests {
  @Test func elementsOfCollectionsAreMappedAndFiltered() {
    let lists = [[1, 2], [], [3]].publisher
    #expect(lists.mapMany { $0 * 10 }.recorded().values == [[10, 20], [], [30]])
    #expect(lists.filterMany { $0 != 2 }.recorded().values == [[1], [], [3]])
  }

  @Test func valuesAreReplaced() {
    #expect([1, 2].publisher.mapToValue("x").recorded().values == ["x", "x"])
    #expect([1, 2].publisher.mapToVoid().recorded().values.count == 2)
    #expect([true, false].publisher.toggle().recorded().values == [false, true])
  }

  @Test func outputTypeOfAnEmptyPublisherIsChanged() {
    let failing = Just(1).setFailureType(to: TestError.self).append(Fail(error: TestError("no")))
    let strings: RecordingSubscriber<String, TestError> = failing.ignoreOutput(setOutputType: String.self).recorded()
    #expect(strings.log == ["no"])
    let ints: RecordingSubscriber<Int, TestError> = failing.ignoreOutput().setOutputType(to: Int.self).recorded()
    #expect(ints.log == ["no"])
  }

  @Test func optionalsAreUnwrapped() {
    let values = [1, nil, 2].publisher
    #expect(values.unwrap().recorded().values == [1, 2])
    let failing = values.unwrap(orThrow: TestError("nil")).recorded()
    #expect(failing.values == [1])
    #expect(failing.error as? TestError == TestError("nil"))
  }
}
