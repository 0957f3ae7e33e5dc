extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Sends the elements of the sequence into a subject while it is connected.
  ///
  /// See ``AsyncMulticastSequence``.
  ///
  /// - Parameter subject: Gets the elements, and the end or the failure.
  @inlinable
  public func multicast<Subject: AsyncSubject & Sendable>(
    _ subject: Subject
  ) -> AsyncMulticastSequence<Self, Subject> where Subject.Element == Element, Subject.Failure == Failure {
    AsyncMulticastSequence(self, subject)
  }

  /// Sends the elements of a sequence that cannot fail into a subject that can, while it is connected.
  ///
  /// See ``AsyncMulticastSequence``.
  ///
  /// - Parameter subject: Gets the elements, and the end.
  @_disfavoredOverload
  @inlinable
  public func multicast<Subject: AsyncSubject & Sendable>(
    _ subject: Subject
  ) -> AsyncMulticastSequence<AsyncWidenedFailureSequence<Self, Subject.Failure>, Subject>
  where Subject.Element == Element, Failure == Never {
    AsyncMulticastSequence(AsyncWidenedFailureSequence(self), subject)
  }
}

/// An asynchronous sequence whose elements go through a subject of the caller's, from when it is connected.
///
/// `multicast(_:)` makes one.
///
/// ```swift
/// let subject = AsyncReplaySubject<Int, Never>(bufferSize: 1)
/// let numbers = [1, 2, 3].async.multicast(subject)
/// var consumer = numbers.makeAsyncIterator()
/// let connection = numbers.connect()
/// while let number = await consumer.next() {
///   print(number)  // 1, 2, 3
/// }
/// connection.cancel()
/// ```
///
/// Its iterators are those of the subject, with the subject's buffers and policies. ``connect()`` starts one task that
/// iterates the base and sends its elements, its end and its failure. A subject never waits for its consumers, so the
/// base is iterated as fast as it delivers; where a slow consumer should hold it up, use `share(bufferingPolicy:)`.
///
/// ``autoconnect()`` connects with the first consumer.
///
/// - Cancellation: Cancelling a consumer's task, or releasing its iterator, removes that consumer only. Cancelling the
///   connection, or releasing it, cancels the base. The subject is not ended by that: ``connect()`` begins a new iteration
///   of the base for the same consumers.
public struct AsyncMulticastSequence<
  Base: AsyncSequence & Sendable, Subject: AsyncSubject & Sendable
>: AsyncSequence, Sendable
where Base.Element == Subject.Element, Base.Failure == Subject.Failure, Base.Element: Sendable {
  /// The elements are those of the base.
  public typealias Element = Subject.Element
  /// The subject's failure.
  public typealias Failure = Subject.Failure

  @usableFromInline let source: MulticastSource
  @usableFromInline let subject: Subject

  @inlinable
  init(_ base: Base, _ subject: Subject) {
    self.subject = subject
    source = MulticastSource { makeSender(of: base, into: subject) }
  }

  /// Adds a consumer of the subject.
  @inlinable
  public func makeAsyncIterator() -> Subject.AsyncIterator {
    subject.makeAsyncIterator()
  }

  /// Begins to send the elements of the base into the subject. The base's iterator is made before this returns.
  ///
  /// While it is connected, this returns the same connection. After the end of the base, it does nothing. If several
  /// threads connect at once, several iterators of the base may be made; all but one are released. Consumers of
  /// ``autoconnect()`` that are there keep it connected, too.
  ///
  /// - Returns: What keeps it connected.
  public func connect() -> AsyncMulticastConnection {
    source.connect()
  }

  /// The same elements, connected while there are consumers.
  ///
  /// See ``AsyncAutoconnectSequence``.
  public func autoconnect() -> AsyncAutoconnectSequence<Base, Subject> {
    AsyncAutoconnectSequence(self)
  }
}

/// Makes a sequence's iterator, and what iterates it in another task.
@inlinable
func makeSender<Base: AsyncSequence, Subject: AsyncSubject>(
  of base: Base, into subject: Subject
) -> MulticastSource.Work
where Base.Element == Subject.Element, Base.Failure == Subject.Failure {
  let iterator = IteratorTransfer(base.makeAsyncIterator())
  return { await sendElements(of: iterator, into: subject, while: $0) }
}

/// Sends a sequence's elements and its end into a subject, unless it is disconnected, which cancels the task. The sequence
/// may have cancelled that, too.
///
/// - Returns: Whether the sequence has ended.
@inlinable
func sendElements<Iterator: AsyncIteratorProtocol, Subject: AsyncSubject>(
  of base: IteratorTransfer<Iterator>, into subject: Subject, while isConnected: () -> Bool
) async -> Bool
where Iterator.Element == Subject.Element, Iterator.Failure == Subject.Failure {
  var iterator = base.take()
  var sent = 0
  do throws(Iterator.Failure) {
    while let element = try await iterator.next(isolation: nil) {
      if Task.isCancelled, !isConnected() { return false }
      if subject.send(element).wasFinished { return true }
      sent &+= 1
      // Others get the thread, too, though the base always has an element.
      if sent & 1_023 == 0 { await Task.yield() }
    }
  } catch {
    if Task.isCancelled, !isConnected() { return false }
    subject.finish(throwing: error)
    return true
  }
  if Task.isCancelled, !isConnected() { return false }
  subject.finish()
  return true
}
