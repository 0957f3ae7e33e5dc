#if INTERFLOW_FOUNDATION
  import Combine
  import Foundation
  import InterflowTestSupport
  import Testing

  /// The examples in the documentation comments of the adapters for Foundation, as written there.
  @Suite struct FoundationExamplesTests {
    private let print = ExampleOutput()

    @Test func notifications() {
      let renamed = Notification.Name("renamed")
      let cancellable = NotificationCenter.default.publisher(for: renamed)
        .sink { print($0.name) }
      NotificationCenter.default.post(name: renamed, object: nil)
      // Other tests post it too.
      #expect(!print.lines.isEmpty)
      withExtendedLifetime(cancellable) {}
    }

    /// Compiled only: its timer ticks on the main run loop, every second.
    private func timer() {
      let cancellable = Timer.publish(every: 1, on: .main, in: .common)
        .autoconnect()
        .sink { print($0) }
      withExtendedLifetime(cancellable) {}
    }
  }

  #if INTERFLOW_FOUNDATION_NETWORKING
    extension FoundationExamplesTests {
      /// Compiled only: it would need a network.
      // swift-format-ignore
      private func request() {
        let cancellable = URLSession.shared.dataTaskPublisher(for: URL(string: "https://www.swift.org")!)
          .map(\.data.count)
          .sink { print($0) } receiveValue: { print($0, "bytes") }
        withExtendedLifetime(cancellable) {}
      }
    }
  #endif
#endif
