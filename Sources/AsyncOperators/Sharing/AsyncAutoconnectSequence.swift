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
/// the first `next()` of a consumer begins to iterate it. If several consumers are added at once, several iterators of the
/// base may be made; all but one are released. A consumer is there from when its iterator is made, and leaves when it has
/// ended, when its task is cancelled, or when its iterator is released. With the last consumer, the base is cancelled,
/// unless ``AsyncMulticastSequence/connect()`` keeps it connected; the next consumer begins a new iteration of the base.
/// Whoever cancels that connection cancels it for these consumers, too. Buffers, end and failure are the subject's.
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
  @usableFromInline let source: MulticastSource

  init(_ multicast: AsyncMulticastSequence<Base, Subject>) {
    subject = multicast.subject
    source = multicast.source
  }

  /// Adds a consumer of the subject.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// Delivers the subject's elements. Only one `next()` may be called at a time.
  public struct Iterator: _IsolatedIterator {
    @usableFromInline var base: Subject.AsyncIterator
    /// Until the end.
    @usableFromInline var consumer: AutoconnectedConsumer?
    /// The consumers do not keep the subject alive themselves.
    @usableFromInline let subject: Subject

    @inlinable
    init(_ sequence: AsyncAutoconnectSequence) {
      subject = sequence.subject
      base = subject.makeAsyncIterator()
      consumer = AutoconnectedConsumer(sequence.source)
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

/// A consumer of an autoconnected sequence, until it is released.
@usableFromInline
final class AutoconnectedConsumer {
  private let source: MulticastSource
  @usableFromInline @exclusivity(unchecked) private(set) var hasConnected = false

  @usableFromInline
  init(_ source: MulticastSource) {
    self.source = source
    source.joined()
  }

  deinit {
    source.left()
  }

  @usableFromInline
  func connect() {
    hasConnected = true
    // One that is cancelled already takes nothing from the base.
    if !Task.isCancelled { _ = source.connect() }
  }
}
