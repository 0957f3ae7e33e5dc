import AsyncOperators
import InterflowTestSupport
import Testing

/// An operator that iterates its inputs in tasks of their own, applied to an input whose elements get through.
struct JoiningForm: Sendable, CustomTestStringConvertible {
  typealias Numbers = AnyAsyncSequence<Int, Never>

  let testDescription: String
  let make: @Sendable (Numbers) -> Numbers
  /// What an iterator and a copy of it return, which is made before the first `next()`. Before each, an element is sent.
  let nextOfCopies: @Sendable (Numbers, _ send: @Sendable (Int) -> Void) async -> [Int?]

  init<S: AsyncSequence<Int, Never> & Sendable>(_ name: String, _ make: @escaping @Sendable (Numbers) -> S) {
    testDescription = name
    self.make = { make($0).eraseToAnyAsyncSequence() }
    nextOfCopies = { numbers, send in
      var first = make(numbers).makeAsyncIterator()
      var second = first
      send(1)
      let element = await first.next(isolation: nil)
      send(2)
      return [element, await second.next(isolation: nil)]
    }
  }

  /// Never delivers anything, and ends when it is cancelled.
  private static var silent: ManualSource<Int, Never> { ManualSource() }
  private static var hour: AsyncTimerSequence<ContinuousClock> { .init(interval: .seconds(3_600), clock: .continuous) }

  /// All operators that join several inputs, or iterate theirs beside something else.
  static let all = ofBases + ofInnerSequences

  /// Those whose input is a sequence that an element makes.
  private static let ofInnerSequences = [
    Self("flatMap, inner") { input in ready([1]).flatMap(maxTasks: 2) { _ in input } },
    Self("flatMapLatest, inner") { input in ready([1]).flatMapLatest { _ in input } },
    Self("flatMapFirst, inner") { input in ready([1]).flatMapFirst { _ in input } },
    Self("switchToLatest") { ready([$0]).switchToLatest() },
  ]

  /// Those that make their input's iterator when theirs is made.
  static let ofBases = [
    Self("merge of two") { merge(silent, $0) },
    Self("merge of three") { merge(silent, silent, $0) },
    Self("merge of many") { merge([$0]) },
    Self("zip of two") { zip($0, naturals()).map { $0.0 } },
    Self("zip of three") { zip(naturals(), naturals(), $0).map { $0.2 } },
    Self("zip of four") { zip(naturals(), $0, naturals(), naturals()).map { $0.1 } },
    Self("zip of many") { zip([$0]).map { $0[0] } },
    Self("combineLatest of two") { combineLatest($0, ready([1])).map { $0.0 } },
    Self("combineLatest of three") { combineLatest(ready([1]), $0, ready([1])).map { $0.1 } },
    Self("combineLatest of four") { combineLatest(ready([1]), ready([1]), $0, ready([1])).map { $0.2 } },
    Self("combineLatest of many") { combineLatest([$0]).map { $0[0] } },
    Self("race of two") { race(silent, $0) },
    Self("race of three") { race(silent, silent, $0) },
    Self("race of many") { race([$0]) },
    Self("withLatestFrom") { naturals().withLatestFrom($0) { $1 } },
    Self("flatMap, base") { $0.flatMap(maxTasks: 2) { ready([$0]) } },
    Self("flatMapLatest, base") { $0.flatMapLatest { ready([$0]) } },
    Self("flatMapFirst, base") { $0.flatMapFirst { ready([$0]) } },
    Self("concurrentMap") { $0.concurrentMap(maxTasks: 2) { $0 } },
    Self("task") { $0.task(maxTasks: 2) { $0 } },
    Self("mapLatest") { $0.mapLatest { $0 } },
    Self("prefix(untilOutputFrom:)") { $0.prefix(untilOutputFrom: silent) },
    Self("drop(untilOutputFrom:)") { naturals().drop(untilOutputFrom: $0).map { _ in 1 } },
    Self("chunked by a signal") { $0.chunked(by: hour).map { $0[0] } },
    Self("chunks of a count or a signal") { $0.chunks(ofCount: 1, or: hour).map { $0[0] } },
    Self("debounce") { $0.debounce(for: .nanoseconds(1)) },
    Self("timeout") { $0.timeout(for: .seconds(3_600), clock: .continuous).replaceError(with: -1) },
    Self("buffer") { $0.buffer(policy: .bounded(1)) },
    Self("buffer without a limit") { $0.buffer(policy: .unbounded) },
    Self("buffer of nothing") { $0.buffer(policy: .bounded(0)) },
    Self("buffer of the latest") { $0.buffer(policy: .bufferingLatest(1)) },
    Self("delay") { $0.delay(for: .nanoseconds(1), clock: .continuous) },
    Self("share") { $0.share() },
    Self("autoconnect") { $0.multicast(AsyncPassthroughSubject<Int, Never>()).autoconnect() },
  ]
}
