import Combine
import Foundation
import Interflow

/// One view model, observed in both ways. It does not know by which.
@MainActor
final class Thermometer: ObservableObject {
  @Published private(set) var label = "no reading"

  private var readings: AnyCancellable?

  init(_ source: some Publisher<Double, Never>) {
    readings =
      source
      .removeDuplicates()
      .map { String(format: "%.1f °C", $0) }
      .sink { [weak self] label in self?.label = label }
  }
}

@main
@MainActor
enum ViewModel {
  static func main() async {
    let sensor = PassthroughSubject<Double, Never>()
    let model = Thermometer(sensor)

    // As a view that Combine drives.
    let view = model.$label.sink { print("sink: \($0)") }

    // As a task that belongs to a view. The stream is subscribed at once, so no label is missed.
    let labels = model.$label.asyncStream()
    let task = Task {
      for await label in labels.prefix(3) { print("for await: \(label)") }
    }

    sensor.send(20.5)
    sensor.send(20.5)
    sensor.send(21)
    await task.value
    view.cancel()
  }
}
