import Combine
import Testing

// The sink of a published article on letting Combine and async/await work together, in the version that asks for a
// value with each that it has received; compiled against this Combine.
//
// Deviations:
// - `fileprivate`, so that its name does not hide that of its other version in the files beside this.

extension Subscribers {
  fileprivate class OneByOneSink<Input, Failure: Error>: Subscriber, Cancellable {
    let receiveValue: (Input) -> Void
    let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    var subscription: Subscription?

    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
    }

    public func receive(subscription: Subscription) {
      self.subscription = subscription
      subscription.request(.max(1))  // Request the amount of data when subscribing
    }

    public func receive(_ input: Input) -> Subscribers.Demand {
      receiveValue(input)
      return .max(1)  // Request the amount of data after data processing is completed
    }

    public func receive(completion: Subscribers.Completion<Failure>) {
      receiveCompletion(completion)
    }

    public func cancel() {
      subscription?.cancel()
      subscription = nil
    }
  }
}

@Suite struct ArticleRequestingSinkTests {
  private let console = Console()

  @Test func aValueIsAskedForAtATime() {
    let sink = Subscribers.OneByOneSink<Int, Never>(
      receiveCompletion: { console.print("\($0)") }, receiveValue: { console.print("hello \($0)") })
    (1...3).publisher
      .handleEvents(receiveRequest: { console.print("request \($0)") })
      .subscribe(sink)
    #expect(console.lines.first == "request max(1)")
    #expect(console.lines.filter { !$0.hasPrefix("request") } == ["hello 1", "hello 2", "hello 3", "finished"])
  }

  @Test func itCancels() {
    let subject = PassthroughSubject<Int, Never>()
    let sink = Subscribers.OneByOneSink<Int, Never>(
      receiveCompletion: { console.print("\($0)") }, receiveValue: { console.print("hello \($0)") })
    subject.subscribe(sink)
    subject.send(1)
    sink.cancel()
    subject.send(2)
    #expect(console.lines == ["hello 1"])
  }
}
