import Dispatch
import Foundation
import Interflow
import InterflowTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The examples of *Differences from Apple's Combine*, as written there; what they print is compared with what they say.
@Suite struct DifferencesExamplesTests {
  /// Takes the place of the standard output, under whose name the examples call it.
  private final class Printed: Sendable {
    private let printed = Shared<[String]>([])

    var lines: [String] { printed.value }

    func callAsFunction(_ value: some Any) { printed.update { $0.append("\(value)") } }
  }

  private let print = Printed()

  /// Sends any signal at any time, and ignores demand and cancellation.
  final class Sloppy: Publisher {
    typealias Output = Int
    typealias Failure = Never

    private(set) var subscriber: AnySubscriber<Int, Never>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      self.subscriber = AnySubscriber(subscriber)
      subscriber.receive(subscription: Subscriptions.empty)
    }
  }

  @Test func nothingFollowsTheEnd() {
    let sloppy = Sloppy()
    let cancellable =
      sloppy
      .collect(2)
      .sink {
        print($0)
      } receiveValue: {
        print($0)
      }
    _ = sloppy.subscriber?.receive(1)
    cancellable.cancel()
    sloppy.subscriber?.receive(completion: .finished)
    #expect(print.lines == [])
  }

  @Test func aCancellationCountsEarly() {
    let sink = Subscribers.Sink<Int, Never> { _ in
    } receiveValue: {
      print($0)
    }
    sink.cancel()
    [1, 2].publisher.subscribe(sink)
    #expect(print.lines == [])
  }

  @Test func demandAndValuesAreNotLost() {
    let width = CurrentValueSubject<Int, Never>(1)
    let height = CurrentValueSubject<Int, Never>(1)
    let area = Subscribers.OneByOneSink<(Int, Int), Never> { _ in
    } receiveValue: {
      print($0.0 * $0.1)
    }
    width.combineLatest(height).subscribe(area)
    width.send(5)
    area.resume()
    #expect(print.lines == ["1", "5"])
  }

  @Test func buffersThatFail() {
    struct Overflow: Error {}
    let subject = PassthroughSubject<Int, Overflow>()
    let slow = Subscribers.OneByOneSink<Int, Overflow> { _ in
    } receiveValue: {
      print($0)
    }
    subject
      .buffer(size: 2, prefetch: .byRequest, whenFull: .customError { Overflow() })
      .subscribe(slow)
    for number in 1...4 { subject.send(number) }
    slow.resume()
    slow.resume()
    #expect(print.lines == ["1", "2", "3"])
  }

  @Test func nothingIsLeftRunning() {
    let signal = PassthroughSubject<Void, Never>()
    let cancellable = [1, 2].publisher
      .drop(untilOutputFrom: signal.handleEvents(receiveCancel: { print("cancelled") }))
      .sink { print($0) }
    signal.send()
    #expect(print.lines == ["cancelled"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func fewerTraps() {
    let sloppy = Sloppy()
    let caught = Subscribers.OneByOneSink<Int, Never> { _ in
    } receiveValue: {
      print($0)
    }
    sloppy.setFailureType(to: URLError.self).replaceError(with: 0).subscribe(caught)
    _ = sloppy.subscriber?.receive(1)
    _ = sloppy.subscriber?.receive(2)
    #expect(print.lines == ["1"])
  }

  @Test func mistakesThatAreNotRepeated() {
    let product = DispatchQueue.SchedulerTimeType.Stride.nanoseconds(18) * .microseconds(1)
    print(product.timeInterval)
    #expect(print.lines == ["nanoseconds(18000)"])
  }

  // As on the page, where the chain begins in the first line.
  // swift-format-ignore
  @Test func memoryIsReleasedEarlier() {
    final class Model {}
    var model: Model? = Model()
    weak let retained = model
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject
      .tryMap { [model] number in (model, number) }
      .sink { _ in } receiveValue: { _ in }
    model = nil
    print(retained == nil)  // false: the operator's closure retains the model
    subject.send(completion: .finished)
    print(retained == nil)  // true
    #expect(print.lines == ["false", "true"])
    withExtendedLifetime(cancellable) {}
  }
}
