import Combine
import Foundation

// A program that runs the main run loop itself, as those without an asynchronous `main` do.
@main
enum Main {
  static func main() {
    var cancellables: Set<AnyCancellable> = []

    Timer.publish(every: 0.01, on: .main, in: .common)
      .autoconnect()
      .prefix(3)
      .map { _ in Thread.isMainThread }
      .collect()
      .receive(on: RunLoop.main)
      .delay(for: .milliseconds(1), scheduler: RunLoop.main)
      .receive(on: DispatchQueue.main)
      .sink { ticks in
        print("ticks on the main thread: \(ticks)")
        exit(0)
      }
      .store(in: &cancellables)

    RunLoop.main.run()
  }
}
