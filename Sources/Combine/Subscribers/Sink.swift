import InterflowPrimitives
import Synchronization

extension Subscribers {
  /// A subscriber that asks for values without limit and calls a closure for each.
  ///
  /// After ``cancel()`` or the completion it calls nothing any more and has let go of its closures and its
  /// subscription.
  ///
  /// - Thread: The closures run wherever the publisher delivers.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
  {
    // These never change, so that calling one costs no lock. They either are the user's closures, where nobody can hold
    // the sink beyond its end, or find them in a `SinkLink`, which is emptied then.
    @usableFromInline let deliver: (Input) -> Void
    @usableFromInline let complete: (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let link: UpstreamLink

    /// Makes a subscriber from two closures.
    public convenience init(
      receiveCompletion: @escaping ((Subscribers.Completion<Failure>) -> Void),
      receiveValue: @escaping ((Input) -> Void)
    ) {
      let link = SinkLink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
      self.init(
        deliver: { link.receiveValue($0) }, complete: { link.complete($0) },
        link: link)
    }

    @inlinable
    init(
      deliver: @escaping (Input) -> Void, complete: @escaping (Subscribers.Completion<Failure>) -> Void,
      link: UpstreamLink = UpstreamLink("Sink")
    ) {
      self.deliver = deliver
      self.complete = complete
      self.link = link
    }

    /// The closure called with each value; one that does nothing after the end.
    public var receiveValue: (Input) -> Void { (link as? SinkLink<Input, Failure>)?.receiveValue ?? deliver }

    /// The closure called with the completion; one that does nothing after the end.
    public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
      (link as? SinkLink<Input, Failure>)?.receiveCompletion ?? complete
    }

    /// Asks for values without limit. A second subscription is cancelled.
    @inlinable
    public func receive(subscription: any Subscription) {
      if link.link(subscription) { subscription.request(.unlimited) }
    }

    /// Calls the closure with a value.
    @inlinable
    public func receive(_ value: Input) -> Subscribers.Demand {
      if !link.hasEnded { deliver(value) }
      return .none
    }

    /// Calls the closure with the completion, once, and lets go of everything.
    @inlinable
    public func receive(completion: Subscribers.Completion<Failure>) {
      guard link.finish(evenIfWaiting: true) else { return }
      complete(completion)
    }

    /// Cancels the subscription and lets go of everything.
    @inlinable
    public func cancel() {
      link.cancel()
    }

    /// `Sink`.
    public var description: String { "Sink" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    /// `Sink`.
    public var playgroundDescription: Any { description }
  }
}

/// The link of a sink that somebody may hold beyond its end, with its closures, which go at the end.
@usableFromInline
final class SinkLink<Input, Failure: Error>: UpstreamLink {
  // Guarded by `lock`: both closures.
  private var onCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  private var onValue: ((Input) -> Void)?

  init(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
  ) {
    onCompletion = receiveCompletion
    onValue = receiveValue
    super.init("Sink")
  }

  var receiveValue: (Input) -> Void {
    lock.lock()
    let closure = onValue
    lock.unlock()
    return closure ?? { _ in }
  }

  var receiveCompletion: (Subscribers.Completion<Failure>) -> Void {
    lock.lock()
    let closure = onCompletion
    lock.unlock()
    return closure ?? { _ in }
  }

  /// Tells the completion, and lets go of the closures.
  func complete(_ completion: Subscribers.Completion<Failure>) {
    let closure = receiveCompletion
    release()
    closure(completion)
  }

  override func cancel() {
    sever()
    release()
  }

  private func release() {
    lock.lock()
    let closures = (onValue, onCompletion)
    onValue = nil
    onCompletion = nil
    lock.unlock()
    withExtendedLifetime(closures) {}
  }
}

extension Publisher {
  /// Attaches a subscriber that asks for values without limit and calls a closure for each.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .sink { print($0) } receiveValue: { print($0) }  // 1, 2, finished
  /// ```
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called once with the completion, unless the subscription is cancelled first.
  ///   - receiveValue: Called with each value.
  /// - Returns: What cancels the subscription; deallocating it does so too.
  @inlinable
  public func sink(
    receiveCompletion: @escaping ((Subscribers.Completion<Failure>) -> Void),
    receiveValue: @escaping ((Output) -> Void)
  ) -> AnyCancellable {
    let sink = Subscribers.Sink<Output, Failure>(deliver: receiveValue, complete: receiveCompletion)
    // The link, not the sink: a completed stream lets go of the closures while its cancellable is still stored.
    let link = sink.link
    subscribe(sink)
    return AnyCancellable(target: link)
  }
}

extension Publisher where Failure == Never {
  /// Attaches a subscriber that asks for values without limit and calls a closure for each.
  ///
  /// - Returns: What cancels the subscription; deallocating it does so too.
  @inlinable
  public func sink(receiveValue: @escaping ((Output) -> Void)) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
