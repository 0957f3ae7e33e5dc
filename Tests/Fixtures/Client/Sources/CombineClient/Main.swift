import Combine
import Foundation

// What a program for Apple's platforms would say, and nothing else.
final class Thermometer {
  private let readings = PassthroughSubject<Double, Never>()
  private var cancellables: Set<AnyCancellable> = []

  var warnings: AnyPublisher<String, Never> {
    readings
      .filter { $0 > 30 }
      .map { String(format: "%.1f degrees", $0) }
      .eraseToAnyPublisher()
  }

  func run() {
    warnings
      .sink(
        receiveCompletion: { print("warnings: \($0)") },
        receiveValue: { print($0) }
      )
      .store(in: &cancellables)
    for reading in [21.5, 30.25, 19, 31] { readings.send(reading) }
    readings.send(completion: .finished)
  }
}

@main
enum Main {
  static func main() {
    Thermometer().run()
    // Foundation alone brings the networking along, as it does on Apple's platforms.
    let request = URL(string: "https://example.org/readings").map { URLRequest(url: $0) }
    print(request?.httpMethod ?? "no request")
  }
}
