import Interflow
import Testing

// From a published article on bridging Combine to AsyncSequence, which builds `CombineAsyncStream` and uses it. Here
// its uses run on the package's type of that name; the article's own type is in ArticleCombineAsyncStreamTests.swift.
//
// Deviations:
// - Subjects stand for `Timer.publish(every:on:in:)` and for `NotificationCenter.publisher(for:)` of the device's
//   orientation: timers take time, and the orientation belongs to UIKit.
// - The SwiftUI view with its `task` modifier is a `Task` that is cancelled: that is what the modifier does.

@Suite(.timeLimit(.minutes(1))) struct CombineAsyncStreamTests {
  private let console = Console()

  private func print(_ text: some Sendable) { console.print(text) }

  @Test func ticks() async {
    let timer = PassthroughSubject<Int, Never>()
    let stream = timer.asyncStream()
    for tick in 1...3 { timer.send(tick) }
    timer.send(completion: .finished)

    for try await tick in stream {
      print(tick)
    }

    #expect(console.lines == ["1", "2", "3"])
  }

  @Test func orientations() async {
    let orientations = PassthroughSubject<String, Never>()
    let orientationStream =
      orientations
      .map { orientation in orientation.hasPrefix("landscape") }
      .removeDuplicates()
      .asyncStream()
    for orientation in ["landscapeLeft", "landscapeRight", "portrait", "landscapeRight"] { orientations.send(orientation) }
    orientations.send(completion: .finished)

    for try await orientation in orientationStream {
      print("Landscape: \(orientation)")
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
    let timer = PassthroughSubject<Int, Never>()
    let isDeallocated = Signal()
    do {
      // Create a Timer async stream.
      let token = Token { isDeallocated.send() }
      let stream =
        timer
        .handleEvents(receiveCompletion: { _ in token.touch() })
        .asyncStream()

      // Cancel stream after 5 ticks.
      Task.detached {
        for tick in 1...5 { timer.send(tick) }
        await console.waitForLines(5)
        stream.cancel()
      }

      // Print timer ticks to the console.
      for try await tick in stream {
        print("\(tick)")
      }

      // Print when the for loop completes
      print("Completed.")
    }

    await isDeallocated.wait()
    print("[Stream Deinit]")
    #expect(console.lines == ["1", "2", "3", "4", "5", "Completed.", "[Stream Deinit]"])
  }
}

/// Says when the last that holds it lets go.
private final class Token: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

  deinit { onDeinit() }

  func touch() {}
}
