import Combine
import Dispatch
import Foundation
import Interflow
import InterflowTestSupport
import Testing

/// The examples of *Coming from OpenCombine, RxSwift, swift-async-algorithms*, as written there; what they print is
/// compared with what they say.
@Suite struct ComingFromElsewhereExamplesTests {
  private let print = ExampleOutput()

  @Test func adaptersWithoutWrappers() async {
    let renamed = Notification.Name("renamed")

    let cancellable = NotificationCenter.default.publisher(for: renamed)
      .receive(on: DispatchQueue.main)
      .sink { notification in print(notification.name.rawValue) }
    NotificationCenter.default.post(name: renamed, object: nil)
    await until { print.lines.first == "renamed" }
    withExtendedLifetime(cancellable) {}
  }

  @Test func releaseCancels() {
    let subject = PassthroughSubject<Int, Never>()
    var cancellable: AnyCancellable? = subject.sink { print($0) }
    subject.send(1)
    cancellable = nil
    subject.send(2)
    #expect(print.line == "1")
    #expect(cancellable == nil)
  }

  /// Calls a closure with one reading.
  private final class Sensor: Sendable {
    static let stopped = Signal()

    init(_ receive: @Sendable (Int) -> Void) { receive(20) }

    func stop() { Self.stopped.fire() }
  }

  @Test func createdObservable() async {
    let readings = Deferred {
      AsyncStream<Int> { continuation in
        let sensor = Sensor { reading in continuation.yield(reading) }
        continuation.onTermination = { _ in sensor.stop() }
      }.publisher
    }
    let cancellable = readings.sink { print($0) }
    await until { print.line == "20" }
    cancellable.cancel()
    await Sensor.stopped.wait()
  }

  @Test func surplusOfASubject() async {
    @Sendable func upload(_ text: String) async -> String { "uploaded \(text)" }
    let texts = PassthroughSubject<String, Never>()

    let uploads =
      texts
      .task(maxPublishers: .max(1), buffering: .unbounded) { text in await upload(text) }
      .asyncStream()

    for text in ["a", "b", "c"] { texts.send(text) }
    texts.send(completion: .finished)
    for await upload in uploads { print(upload) }
    #expect(print.line == "uploaded a, uploaded b, uploaded c")
  }

  @Test func channelWithTwoConsumers() async throws {
    let channel = AsyncChannel<Int, Never>()
    let doubled = channel.map { $0 * 2 }.asyncStream()
    let halved = channel.map { Double($0) / 2 }.asyncStream()

    for number in [1, 2] { try await channel.send(number) }
    channel.send(completion: .finished)

    for await number in doubled { print(number) }
    for await number in halved { print(number) }
    #expect(print.line == "2, 4, 0.5, 1.0")
  }
}
