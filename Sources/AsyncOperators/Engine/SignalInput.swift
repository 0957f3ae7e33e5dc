import InterflowPrimitives

/// An input of which only the first element counts: the sequence is released after that.
@usableFromInline
final class SignalInput<Signal: AsyncSequence>: AnyFanInInput, @unchecked Sendable {
  @usableFromInline let iterator: IteratorTransfer<Signal.AsyncIterator>
  /// Whether a failure is an end like any other.
  @usableFromInline let ignoresFailure: Bool

  @inlinable
  init(_ signal: Signal, ignoresFailure: Bool) {
    iterator = IteratorTransfer(signal.makeAsyncIterator())
    self.ignoresFailure = ignoresFailure
    super.init { await unsafeDowncast($0, to: SignalInput.self).iterate() }
  }

  @inlinable
  override func discard() {
    iterator.discard()
  }

  @inlinable
  func iterate() async {
    guard let engine else { return }
    do throws(Signal.Failure) {
      if try await hasElement() {
        guard await requested({ engine.received(index, $0) }) else { return }
      }
      engine.finished(index)
    } catch {
      if ignoresFailure { return engine.finished(index) }
      failure = error
      engine.failed(index)
    }
  }

  @inlinable
  func hasElement() async throws(Signal.Failure) -> Bool {
    var iterator = iterator.take()
    return try await iterator.next(isolation: nil) != nil
  }
}
