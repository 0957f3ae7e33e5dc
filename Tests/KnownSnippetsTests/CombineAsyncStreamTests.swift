import Foundation
import Interflow
import Testing

// From a published article on bridging Combine to AsyncSequence, which builds `CombineAsyncStream` and uses it. Here
// its uses run on the package's type of that name; the article's own type is in ArticleCombineAsyncStreamTests.swift.
//
// Deviations:
// - The timers tick every millisecond, not every second, and a loop that the text lets run on forever is left after
//   three rounds. What cancels a stream counts five ticks in place of sleeping for five seconds, and the timer falls
//   silent after them, so that it is no race which ticks are still printed.
// - `Device` stands for UIKit's `UIDevice`.
// - The SwiftUI view with its `task` modifier is a `Task` that is cancelled: that is what the modifier does.

@Suite struct CombineAsyncStreamTests {
  private let console = Console()

  private func print(_ text: some Sendable) { console.print(text) }

  @Test func ticks() async {
    for try await tick
      in Timer
      .publish(every: 0.001, on: .main, in: .common)
      .autoconnect()
      .asyncStream()
    {
      print(tick)
      if console.lines.count == 3 { break }
    }

    #expect(console.lines.count == 3)
  }

  @Test func orientations() async {
    let orientationStream = NotificationCenter
      .default
      .publisher(for: Device.orientationDidChangeNotification)
      .map { _ in Device.current.isLandscape }
      .removeDuplicates()
      .asyncStream()
    for isLandscape in [true, true, false, true] { Device.current.turn(isLandscape) }

    for try await orientation in orientationStream {
      print("Landscape: \(orientation)")
      if console.lines.count == 3 { break }
    }

    #expect(console.lines == ["Landscape: true", "Landscape: false", "Landscape: true"])
  }

  @Test func errorsAreCaughtAsUsual() async {
    let stream = Fail<Int, any Error>(error: SnippetError()).asyncStream()
    do {
      for try await tick in stream {
        print(tick)
      }
    } catch {
      print("\(error)")
    }
    #expect(console.lines == ["SnippetError()"])
  }

  @Test func aCancelledTaskEndsTheLoop() async throws {
    let orientations = PassthroughSubject<Bool, Never>()
    let isCancelled = Signal()
    let orientationStream = orientations.handleEvents(receiveCancel: { isCancelled.send() }).asyncStream()

    let task = Task {
      for try await orientation in orientationStream {
        print("Landscape: \(orientation)")
      }
      print("Completed.")
    }

    orientations.send(true)
    await console.waitForLines(1)
    task.cancel()
    try await task.value
    await isCancelled.wait()
    #expect(console.lines == ["Landscape: true", "Completed."])
  }

  @Test func cancellingTheStreamEndsTheLoop() async {
    let isDeallocated = Signal()
    do {
      // Create a Timer async stream.
      let token = Token { isDeallocated.send() }
      let stream =
        Timer
        .publish(every: 0.001, tolerance: 0.001, on: .main, in: .common)
        .autoconnect()
        .prefix(5).append(Empty(completeImmediately: false))
        .handleEvents(receiveCompletion: { _ in token.touch() })
        .asyncStream()

      // Cancel stream after 5 ticks.
      Task.detached {
        await console.waitForLines(5)
        stream.cancel()
      }

      // Print timer ticks to the console.
      for try await tick in stream {
        print("\(tick.formatted(date: .omitted, time: .standard))")
      }

      // Print when the for loop completes
      print("Completed.")
    }

    await isDeallocated.wait()
    print("[Stream Deinit]")
    #expect(console.lines.count == 7)
    #expect(console.lines.suffix(2) == ["Completed.", "[Stream Deinit]"])
  }
}

/// A device that can be turned.
private final class Device: Sendable {
  static let orientationDidChangeNotification = Notification.Name("orientation did change")
  static let current = Device()

  private let state = Locked(false)

  var isLandscape: Bool { state.withLock { $0 } }

  func turn(_ isLandscape: Bool) {
    state.withLock { $0 = isLandscape }
    NotificationCenter.default.post(name: Self.orientationDidChangeNotification, object: nil)
  }
}

/// Says when the last that holds it lets go.
private final class Token: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

  deinit { onDeinit() }

  func touch() {}
}
