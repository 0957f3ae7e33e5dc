import InterflowTestSupport

/// An asynchronous sequence whose elements the test sends, and which says what happens to its iterator.
final class ManualSource<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  private enum Answer {
    case element(Element)
    case failure(Failure)
    case end
  }

  private struct State {
    var answers: [Answer] = []
    var isOver = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Shared(State())
  /// Fires with each call of `next()`.
  let requested = Signal()
  /// Fires with each element that `next()` returns.
  let taken = Signal()
  /// Fires when the task is cancelled while `next()` waits.
  let cancelled = Signal()
  /// Fires when the iterator has been released, which its task does at its end.
  let released = Signal()

  func send(_ element: Element) { answer(.element(element)) }
  func finish() { answer(.end) }
  func fail(_ failure: Failure) { answer(.failure(failure)) }

  private func answer(_ answer: Answer) {
    let waiter = state.update { state in
      state.answers.append(answer)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  func makeAsyncIterator() -> Iterator { Iterator(source: self, token: Token(released)) }

  final class Token {
    let released: Signal
    init(_ released: Signal) { self.released = released }
    deinit { released.fire() }
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: ManualSource
    fileprivate let token: Token

    mutating func next() async throws(Failure) -> Element? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      source.requested.fire()
      await source.waitForAnswer(isolation: actor)
      return try source.takeAnswer()
    }
  }

  private func waitForAnswer(isolation: isolated (any Actor)?) async {
    await withTaskCancellationHandler(
      operation: {
        await withCheckedContinuation(isolation: isolation) { waiter in
          let isReady = state.update { state in
            if !state.answers.isEmpty || state.isOver || Task.isCancelled { return true }
            state.waiter = waiter
            return false
          }
          if isReady { waiter.resume() }
        }
      },
      onCancel: {
        let waiter = state.update { state in
          state.isOver = true
          state.answers = []
          return state.waiter.take()
        }
        waiter?.resume()
        cancelled.fire()
      }, isolation: isolation)
  }

  private func takeAnswer() throws(Failure) -> Element? {
    let answer = state.update { state in state.answers.isEmpty ? .end : state.answers.removeFirst() }
    switch answer {
    case .element(let element):
      taken.fire()
      return element
    case .failure(let failure): throw failure
    case .end: return nil
    }
  }
}

/// An asynchronous sequence whose elements are available, without a suspension, and that counts those taken.
struct ReadySource<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  let elements: @Sendable (Int) -> Element?
  var failure: Failure?
  let taken = Shared(0)
  let released = Signal()

  func makeAsyncIterator() -> Iterator { Iterator(source: self, token: Token(released)) }

  final class Token {
    let released: Signal
    init(_ released: Signal) { self.released = released }
    deinit { released.fire() }
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: ReadySource
    fileprivate let token: Token
    private var index = 0

    fileprivate init(source: ReadySource, token: Token) {
      self.source = source
      self.token = token
    }

    mutating func next() async throws(Failure) -> Element? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      guard let element = source.elements(index) else {
        if let failure = source.failure { throw failure }
        return nil
      }
      index += 1
      source.taken.update { $0 += 1 }
      return element
    }
  }
}

/// The elements of an array, all available.
func ready<Element: Sendable>(_ elements: [Element]) -> ReadySource<Element, Never> {
  ReadySource(elements: { $0 < elements.count ? elements[$0] : nil })
}

/// The elements of an array, all available, then a failure.
func ready<Element: Sendable, Failure: Error>(
  _ elements: [Element], failure: Failure
) -> ReadySource<Element, Failure> {
  ReadySource(elements: { $0 < elements.count ? elements[$0] : nil }, failure: failure)
}

/// All numbers from zero, all available.
func naturals() -> ReadySource<Int, Never> { ReadySource(elements: { $0 }) }

/// Whether a sequence's failure type is the given one.
func fails<S: AsyncSequence, Failure>(_: S, with: Failure.Type) -> Bool { S.Failure.self == Failure.self }
