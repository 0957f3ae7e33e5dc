import Combine
import Testing

/// The examples of the catalogue's own pages.
@Suite struct LandingPageExamplesTests {
  // As on the page, where the chain begins in the first line.
  // swift-format-ignore
  @Test func firstExample() {
    var printed: [Double] = []
    func print(_ value: Double) { printed.append(value) }

    let temperatures = PassthroughSubject<Double, Never>()
    let cancellable = temperatures
      .map { $0.rounded() }
      .removeDuplicates()
      .sink { print($0) }

    temperatures.send(19.8)  // prints 20.0
    temperatures.send(20.1)
    temperatures.send(21.4)  // prints 21.0

    #expect(printed == [20, 21])
    withExtendedLifetime(cancellable) {}
  }
}
