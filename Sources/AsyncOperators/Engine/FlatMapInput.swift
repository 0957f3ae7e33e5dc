import InterflowPrimitives

/// An input whose elements become inputs of their own.
@usableFromInline
final class FlatMapInput<Base: AsyncSequence, Inner: AsyncSequence>: AnyFanInInput, @unchecked Sendable {
  @usableFromInline let iterator: IteratorTransfer<Base.AsyncIterator>
  @usableFromInline let transform: @Sendable (Base.Element) -> Inner

  @inlinable
  init(_ base: Base, _ transform: @escaping @Sendable (Base.Element) -> Inner) {
    iterator = IteratorTransfer(base.makeAsyncIterator())
    self.transform = transform
    super.init { await unsafeDowncast($0, to: FlatMapInput.self).iterate() }
  }

  @inlinable
  override func discard() {
    iterator.discard()
  }

  @inlinable
  func iterate() async {
    guard let engine else { return }
    var iterator = iterator.take()
    var count = 0
    repeat {
      do throws(Base.Failure) {
        guard let next = try await iterator.next(isolation: nil) else { return engine.finished(index) }
        if engine.beginInner() { engine.startInner(FanInInput(transform(next))) }
      } catch {
        failure = error
        return engine.failed(index)
      }
      // Lets other tasks run, though the base always has an element.
      count &+= 1
      if count & 63 == 0 { await Task.yield() }
    } while await requested { engine.waitForRoom($0) }
  }
}

/// The iteration of the elements of inner sequences.
@usableFromInline
struct FlatMapIteration<Element, Failure: Error> {
  @usableFromInline var base: AnyFanInInput?
  /// Nil after the end.
  @usableFromInline var handle: FanInHandle?

  /// - Parameter limit: How many inner sequences are iterated at a time.
  @inlinable
  init(_ mode: FanInStateMachine.Mode, _ base: AnyFanInInput, limit: Int = .max) {
    self.base = base
    handle = FanInHandle(mode, [base], limit: limit)
  }

  @inlinable
  mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
    guard let handle else { return nil }
    let event = await handle.next(isolation: actor)
    let input = handle.engine.takeInnerInput()
    switch event {
    case .element:
      guard let input else { preconditionFailure("an element without an inner input") }
      return unsafeDowncast(input, to: FanInSlot<Element>.self).take()
    case .failure:
      let failed = input ?? base
      end()
      throw failed?.failure(as: Failure.self) ?? { preconditionFailure("a failure without an input") }()
    case .end, .pending:
      end()
      return nil
    }
  }

  @inlinable
  mutating func end() {
    handle = nil
    base = nil
  }
}
