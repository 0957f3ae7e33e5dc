import InterflowPrimitives

/// An asynchronous sequence whose elements go through a subject of the caller's, while there are consumers.
///
/// `autoconnect()` of an ``AsyncMulticastSequence`` makes one.
///
/// ```swift
/// let subject = AsyncPassthroughSubject<Int, Never>()
/// for await number in [1, 2, 3].async.multicast(subject).autoconnect() {
///   print(number)  // 1, 2, 3
/// }
/// ```
///
/// The base's iterator is made with that of the first consumer, so that nothing that a subject sends after that is lost;
/// the first `next()` of a consumer begins to iterate it. A consumer is there from when its iterator is made, and
/// leaves when it has ended, when its task is cancelled, or when its iterator is released. With the last consumer, the
/// base is cancelled; the next consumer begins a new iteration of the base. Buffers, end and failure are the subject's.
///
/// - Cancellation: Cancelling a consumer's task ends its iteration with `nil`. The others stay.
public struct AsyncAutoconnectSequence<
  Base: AsyncSequence & Sendable, Subject: AsyncSubject & Sendable
>: AsyncSequence, Sendable
where Base.Element == Subject.Element, Base.Failure == Subject.Failure, Base.Element: Sendable {
  /// The elements are those of the base.
  public typealias Element = Subject.Element
  /// The subject's failure.
  public typealias Failure = Subject.Failure

  @usableFromInline let subject: Subject
  @usableFromInline let connector: AutoConnector

  init(_ multicast: AsyncMulticastSequence<Base, Subject>) {
    subject = multicast.subject
    connector = AutoConnector(multicast.source)
  }

  /// Adds a consumer of the subject.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Delivers the subject's elements. Only one `next()` may be called at a time.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: Subject.AsyncIterator
    /// Until the end.
    @usableFromInline var consumer: AutoConnector.Consumer?
    /// The consumers do not keep the subject alive themselves.
    @usableFromInline let subject: Subject

    @inlinable
    init(_ sequence: AsyncAutoconnectSequence) {
      subject = sequence.subject
      base = subject.makeAsyncIterator()
      consumer = AutoConnector.Consumer(sequence.connector)
    }

    /// The subject's next element; `nil` after the end.
    @inlinable
    public nonisolated(nonsending) mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: #isolation)
    }

    /// The subject's next element, on the caller's isolation; `nil` after the end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      guard let consumer else { return nil }
      if !consumer.hasConnected { consumer.connect() }
      do throws(Failure) {
        if let element = try await base.next(isolation: actor) { return element }
      } catch {
        self.consumer = nil
        throw error
      }
      self.consumer = nil
      return nil
    }
  }
}

@available(*, unavailable)
extension AsyncAutoconnectSequence.Iterator: Sendable {}

/// Connects while there are consumers.
@usableFromInline
final class AutoConnector: @unchecked Sendable {
  private let source: MulticastSource
  private let lock = Lock()
  // Guarded by `lock`: everything below it.
  @exclusivity(unchecked) private var consumerCount = 0
  @exclusivity(unchecked) private var connection: AsyncMulticastConnection?
  /// What iterates the base, while there are consumers; until the connection is made.
  @exclusivity(unchecked) private var work: (() async -> Bool)?

  init(_ source: MulticastSource) {
    self.source = source
  }

  /// A consumer, until it is released.
  @usableFromInline
  final class Consumer {
    private let connector: AutoConnector
    @usableFromInline @exclusivity(unchecked) private(set) var hasConnected = false

    @usableFromInline
    init(_ connector: AutoConnector) {
      self.connector = connector
      connector.joined()
    }

    deinit {
      connector.left()
    }

    @usableFromInline
    func connect() {
      hasConnected = true
      // One that is cancelled already takes nothing from the base.
      if !Task.isCancelled { connector.connect() }
    }
  }

  /// Where several consumers are added at once, more than one iterator of the base may be made; all but one are released.
  private func joined() {
    lock.lock()
    consumerCount += 1
    let isPrepared = connection != nil || work != nil
    lock.unlock()
    if isPrepared || source.hasBaseEnded { return }
    let new = source.makeWork()
    lock.lock()
    if connection == nil, work == nil { work = new }
    lock.unlock()
  }

  private func connect() {
    let new = AsyncMulticastConnection()
    lock.lock()
    let isFirst = connection == nil
    if isFirst { connection = new }
    let work = work.take()
    lock.unlock()
    if isFirst { source.start(new, work) }
  }

  private func left() {
    lock.lock()
    consumerCount -= 1
    let connection = consumerCount == 0 ? connection.take() : nil
    let work = consumerCount == 0 ? work.take() : nil
    lock.unlock()
    connection?.cancel()
    releaseOutsideLock(work)
  }
}
