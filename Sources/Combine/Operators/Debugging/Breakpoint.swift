#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension Publishers {
  /// A publisher that stops in the debugger when a closure returns `true`.
  public struct Breakpoint<Upstream: Publisher>: Publisher {
    /// The kind of values that the publisher delivers.
    public typealias Output = Upstream.Output
    /// The kind of error that may end the publisher.
    public typealias Failure = Upstream.Failure

    /// The publisher whose signals are watched.
    public let upstream: Upstream
    /// Returns whether to stop at the subscription.
    public let receiveSubscription: ((any Subscription) -> Bool)?
    /// Returns whether to stop at a value.
    public let receiveOutput: ((Upstream.Output) -> Bool)?
    /// Returns whether to stop at the completion.
    public let receiveCompletion: ((Subscribers.Completion<Upstream.Failure>) -> Bool)?

    /// Makes a publisher that watches the signals of another.
    public init(
      upstream: Upstream, receiveSubscription: ((any Subscription) -> Bool)? = nil,
      receiveOutput: ((Upstream.Output) -> Bool)? = nil,
      receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, breakpoint: self))
    }

    private struct Inner<Downstream: Subscriber>: PassThrough
    where Downstream.Input == Output, Downstream.Failure == Failure {
      typealias Input = Upstream.Output
      typealias Failure = Upstream.Failure

      let downstream: Downstream
      let breakpoint: Breakpoint

      func receive(subscription: any Subscription) {
        if breakpoint.receiveSubscription?(subscription) == true { stop() }
        downstream.receive(subscription: subscription)
      }

      func receive(_ input: Input) -> Subscribers.Demand {
        if breakpoint.receiveOutput?(input) == true { stop() }
        return downstream.receive(input)
      }

      func receive(completion: Subscribers.Completion<Failure>) {
        if breakpoint.receiveCompletion?(completion) == true { stop() }
        downstream.receive(completion: completion)
      }

      var operatorName: String { "Breakpoint" }

      /// Stops in a debugger; without one, ends the process.
      private func stop() {
        #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
          raise(SIGTRAP)
        #else
          fatalError("a breakpoint was reached")
        #endif
      }
    }
  }
}

extension Publisher {
  /// Stops in the debugger (raises `SIGTRAP`) when a closure returns `true`.
  ///
  /// All signals pass through: the subscriber gets this publisher's own subscription. Without a debugger, `SIGTRAP`
  /// ends the process.
  ///
  /// - Parameters:
  ///   - receiveSubscription: Returns whether to stop at the subscription.
  ///   - receiveOutput: Returns whether to stop at a value.
  ///   - receiveCompletion: Returns whether to stop at the completion.
  public func breakpoint(
    receiveSubscription: ((any Subscription) -> Bool)? = nil,
    receiveOutput: ((Output) -> Bool)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
  ) -> Publishers.Breakpoint<Self> {
    Publishers.Breakpoint(
      upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion)
  }

  /// Stops in the debugger (raises `SIGTRAP`) when this publisher fails. All signals pass through.
  public func breakpointOnError() -> Publishers.Breakpoint<Self> {
    breakpoint(receiveCompletion: {
      if case .failure = $0 { true } else { false }
    })
  }
}
