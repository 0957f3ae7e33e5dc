import Combine
import InterflowTestSupport
import Testing

/// The examples in the documentation comments of Observation, as written there.
// swift-format-ignore
@Suite struct ObservationExamplesTests {
  private let print = ExampleOutput()

  @Test func observableObject() {
    final class Contact: ObservableObject {
      @Published var name = "Ann"
    }

    let contact = Contact()
    let cancellable = contact.objectWillChange.sink { print("about to change") }
    contact.name = "Bob"
    #expect(print.line == "about to change")
    withExtendedLifetime(cancellable) {}
  }

  @Test func published() {
    final class Weather {
      @Published var temperature = 20.0
    }

    let weather = Weather()
    let cancellable = weather.$temperature.sink { print($0) }  // 20.0
    weather.temperature = 25  // 25.0, while weather.temperature is still 20.0
    #expect(print.line == "20.0, 25.0")
    withExtendedLifetime(cancellable) {}
  }

  @Test func assignToPublished() {
    final class Clock {
      @Published var ticks = 0
      init() { [1, 2, 3].publisher.assign(to: &$ticks) }
    }
    #expect(Clock().ticks == 3)
  }
}
