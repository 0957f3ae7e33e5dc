import Combine
import InterflowPrimitives

extension Publishers {
  /// A publisher that shares one subscription to another, and replays its latest values to new subscribers.
  ///
  /// See ``Combine/Publisher/share(replay:scope:)``.
  public final class ShareReplay<Upstream: Publisher>: Publisher {
    /// The upstream's values.
    public typealias Output = Upstream.Output
    /// The upstream's failure.
    public typealias Failure = Upstream.Failure

    @usableFromInline let upstream: Upstream
    private let scope: ReplayScope
    private let makeSubject: () -> ReplaySubject<Output, Failure>

    // Guarded by `lock`: these three.
    private let lock = Lock()
    private var subject: ReplaySubject<Output, Failure>?
    /// The subscription to upstream; `nil` while there are no subscribers.
    private var input: ReplayInput<Output, Failure>?
    private var subscribers = 0

    init(_ upstream: Upstream, _ scope: ReplayScope, _ makeSubject: @escaping () -> ReplaySubject<Output, Failure>) {
      self.upstream = upstream
      self.scope = scope
      self.makeSubject = makeSubject
    }

    /// Attaches a subscriber. The first one starts the subscription to upstream.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (subject, input, connects) = enter()
      subject.add(ReplayMemberOf(subscriber)) { [self] in leave(input) }
      // The subscriber may have cancelled when it received its subscription, and been the only one.
      if connects, !input.hasEnded { connect(input) }
    }

    /// - Returns: Whether upstream is to be subscribed to, and with what.
    @usableFromInline
    func enter() -> (ReplaySubject<Output, Failure>, ReplayInput<Output, Failure>, connects: Bool) {
      // Made before it is known whether it is needed, since its `deinit` must not run with the lock.
      let new = makeSubject()
      lock.lock()
      let subject = self.subject ?? new
      let connects = input == nil
      let input = self.input ?? ReplayInput(subject)
      self.subject = subject
      self.input = input
      subscribers += 1
      lock.unlock()
      return withExtendedLifetime(new) { (subject, input, connects) }
    }

    @inlinable
    func connect(_ input: ReplayInput<Output, Failure>) {
      upstream.subscribe(input)
    }

    /// A subscriber has ended: the last one cancels upstream, unless upstream has completed.
    @usableFromInline
    func leave(_ input: ReplayInput<Output, Failure>) {
      lock.lock()
      guard self.input === input else { return lock.unlock() }
      subscribers -= 1
      let cancels = subscribers == 0 && input.end()
      var dropped: ReplaySubject<Output, Failure>?
      if cancels || scope == .whileConnected && input.isOver {
        self.input = nil
        subscribers = 0
        if scope == .whileConnected { dropped = subject.take() }
      }
      // With the lock: before a subscriber can begin again, values of this connection do not count any more.
      let upstream = cancels ? input.detach() : nil
      lock.unlock()
      upstream?.cancel()
      releaseOutsideLock(dropped)
    }
  }
}

/// The subscriber of a publisher that is shared.
@usableFromInline
final class ReplayInput<Output, Failure: Error>: InputLink, Subscriber {
  @usableFromInline typealias Input = Output

  @usableFromInline let subject: ReplaySubject<Output, Failure>
  // Set by upstream's completion or by the last subscriber, whichever is first, so that a completion which finds that
  // all have gone does not end the subscribers of the next connection.
  private let ended = Flag()

  @usableFromInline
  init(_ subject: ReplaySubject<Output, Failure>) {
    self.subject = subject
    super.init(.unlimited)
  }

  var isOver: Bool { ended.value }

  /// - Returns: Whether it ended now.
  func end() -> Bool { ended.set() }

  @usableFromInline
  func receive(subscription: any Subscription) {
    attach(subscription)
  }

  @inlinable
  func receive(_ value: Output) -> Subscribers.Demand {
    if isLinked { subject.send(value, from: self) }
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard end() else { return }
    _ = finish()
    subject.send(completion: completion)
  }
}
