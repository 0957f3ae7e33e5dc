import AsyncOperators
import Testing

private struct First: Error {}
private struct Second: Error {}

private let never = [1].async
private let first = never.setFailureType(to: First.self)
private let second = never.setFailureType(to: Second.self)
private let any = never.setFailureType(to: (any Error).self)

/// Compiles if the sequence fails with that type and no other.
private func expect<S: AsyncSequence, Failure>(_ sequence: S, _ failure: Failure.Type) where S.Failure == Failure {
  #expect(S.Failure.self == failure)
}

/// The failure types of sequences that an operator makes of two, for each pair of failure types.
///
/// They are compared by the compiler: a wrong one is an error.
@Suite struct FailureTypesTests {
  @Test func mergeOfTwo() {
    expect(merge(never, never), Never.self)
    expect(merge(never, first), First.self)
    expect(merge(never, second), Second.self)
    expect(merge(never, any), (any Error).self)
    expect(merge(first, never), First.self)
    expect(merge(first, first), First.self)
    expect(merge(first, second), (any Error).self)
    expect(merge(first, any), (any Error).self)
    expect(merge(second, never), Second.self)
    expect(merge(second, first), (any Error).self)
    expect(merge(second, second), Second.self)
    expect(merge(second, any), (any Error).self)
    expect(merge(any, never), (any Error).self)
    expect(merge(any, first), (any Error).self)
    expect(merge(any, second), (any Error).self)
    expect(merge(any, any), (any Error).self)
  }

  @Test func zipOfTwo() {
    expect(zip(never, never), Never.self)
    expect(zip(never, first), First.self)
    expect(zip(never, second), Second.self)
    expect(zip(never, any), (any Error).self)
    expect(zip(first, never), First.self)
    expect(zip(first, first), First.self)
    expect(zip(first, second), (any Error).self)
    expect(zip(first, any), (any Error).self)
    expect(zip(second, never), Second.self)
    expect(zip(second, first), (any Error).self)
    expect(zip(second, second), Second.self)
    expect(zip(second, any), (any Error).self)
    expect(zip(any, never), (any Error).self)
    expect(zip(any, first), (any Error).self)
    expect(zip(any, second), (any Error).self)
    expect(zip(any, any), (any Error).self)
  }

  @Test func combineLatestOfTwo() {
    expect(combineLatest(never, never), Never.self)
    expect(combineLatest(never, first), First.self)
    expect(combineLatest(never, second), Second.self)
    expect(combineLatest(never, any), (any Error).self)
    expect(combineLatest(first, never), First.self)
    expect(combineLatest(first, first), First.self)
    expect(combineLatest(first, second), (any Error).self)
    expect(combineLatest(first, any), (any Error).self)
    expect(combineLatest(second, never), Second.self)
    expect(combineLatest(second, first), (any Error).self)
    expect(combineLatest(second, second), Second.self)
    expect(combineLatest(second, any), (any Error).self)
    expect(combineLatest(any, never), (any Error).self)
    expect(combineLatest(any, first), (any Error).self)
    expect(combineLatest(any, second), (any Error).self)
    expect(combineLatest(any, any), (any Error).self)
  }

  @Test func raceOfTwo() {
    expect(race(never, never), Never.self)
    expect(race(never, first), First.self)
    expect(race(never, second), Second.self)
    expect(race(never, any), (any Error).self)
    expect(race(first, never), First.self)
    expect(race(first, first), First.self)
    expect(race(first, second), (any Error).self)
    expect(race(first, any), (any Error).self)
    expect(race(second, never), Second.self)
    expect(race(second, first), (any Error).self)
    expect(race(second, second), Second.self)
    expect(race(second, any), (any Error).self)
    expect(race(any, never), (any Error).self)
    expect(race(any, first), (any Error).self)
    expect(race(any, second), (any Error).self)
    expect(race(any, any), (any Error).self)
  }

  @Test func chainOfTwo() {
    expect(chain(never, never), Never.self)
    expect(chain(never, first), First.self)
    expect(chain(never, second), Second.self)
    expect(chain(never, any), (any Error).self)
    expect(chain(first, never), First.self)
    expect(chain(first, first), First.self)
    expect(chain(first, second), (any Error).self)
    expect(chain(first, any), (any Error).self)
    expect(chain(second, never), Second.self)
    expect(chain(second, first), (any Error).self)
    expect(chain(second, second), Second.self)
    expect(chain(second, any), (any Error).self)
    expect(chain(any, never), (any Error).self)
    expect(chain(any, first), (any Error).self)
    expect(chain(any, second), (any Error).self)
    expect(chain(any, any), (any Error).self)
  }

  @Test func appendOfTwo() {
    expect(never.append(never), Never.self)
    expect(never.append(first), First.self)
    expect(never.append(second), Second.self)
    expect(never.append(any), (any Error).self)
    expect(first.append(never), First.self)
    expect(first.append(first), First.self)
    expect(first.append(second), (any Error).self)
    expect(first.append(any), (any Error).self)
    expect(second.append(never), Second.self)
    expect(second.append(first), (any Error).self)
    expect(second.append(second), Second.self)
    expect(second.append(any), (any Error).self)
    expect(any.append(never), (any Error).self)
    expect(any.append(first), (any Error).self)
    expect(any.append(second), (any Error).self)
    expect(any.append(any), (any Error).self)
  }

  @Test func withLatestFromOfTwo() {
    expect(never.withLatestFrom(never), Never.self)
    expect(never.withLatestFrom(first), First.self)
    expect(never.withLatestFrom(second), Second.self)
    expect(never.withLatestFrom(any), (any Error).self)
    expect(first.withLatestFrom(never), First.self)
    expect(first.withLatestFrom(first), First.self)
    expect(first.withLatestFrom(second), (any Error).self)
    expect(first.withLatestFrom(any), (any Error).self)
    expect(second.withLatestFrom(never), Second.self)
    expect(second.withLatestFrom(first), (any Error).self)
    expect(second.withLatestFrom(second), Second.self)
    expect(second.withLatestFrom(any), (any Error).self)
    expect(any.withLatestFrom(never), (any Error).self)
    expect(any.withLatestFrom(first), (any Error).self)
    expect(any.withLatestFrom(second), (any Error).self)
    expect(any.withLatestFrom(any), (any Error).self)
  }

  @Test func chunkedByOfTwo() {
    expect(never.chunked(by: never), Never.self)
    expect(never.chunked(by: first), First.self)
    expect(never.chunked(by: second), Second.self)
    expect(never.chunked(by: any), (any Error).self)
    expect(first.chunked(by: never), First.self)
    expect(first.chunked(by: first), First.self)
    expect(first.chunked(by: second), (any Error).self)
    expect(first.chunked(by: any), (any Error).self)
    expect(second.chunked(by: never), Second.self)
    expect(second.chunked(by: first), (any Error).self)
    expect(second.chunked(by: second), Second.self)
    expect(second.chunked(by: any), (any Error).self)
    expect(any.chunked(by: never), (any Error).self)
    expect(any.chunked(by: first), (any Error).self)
    expect(any.chunked(by: second), (any Error).self)
    expect(any.chunked(by: any), (any Error).self)
  }

  @Test func chunksOfCountOfTwo() {
    expect(never.chunks(ofCount: 2, or: never), Never.self)
    expect(never.chunks(ofCount: 2, or: first), First.self)
    expect(never.chunks(ofCount: 2, or: second), Second.self)
    expect(never.chunks(ofCount: 2, or: any), (any Error).self)
    expect(first.chunks(ofCount: 2, or: never), First.self)
    expect(first.chunks(ofCount: 2, or: first), First.self)
    expect(first.chunks(ofCount: 2, or: second), (any Error).self)
    expect(first.chunks(ofCount: 2, or: any), (any Error).self)
    expect(second.chunks(ofCount: 2, or: never), Second.self)
    expect(second.chunks(ofCount: 2, or: first), (any Error).self)
    expect(second.chunks(ofCount: 2, or: second), Second.self)
    expect(second.chunks(ofCount: 2, or: any), (any Error).self)
    expect(any.chunks(ofCount: 2, or: never), (any Error).self)
    expect(any.chunks(ofCount: 2, or: first), (any Error).self)
    expect(any.chunks(ofCount: 2, or: second), (any Error).self)
    expect(any.chunks(ofCount: 2, or: any), (any Error).self)
  }

  @Test func threeSequencesKeepAFailureThatAllHave() {
    expect(merge(first, first, first), First.self)
    expect(zip(first, first, first), First.self)
    expect(combineLatest(never, never, never), Never.self)
    expect(race(first, first, first), First.self)
    expect(chain(never, never, never), Never.self)
    expect([never].async.joined(separator: never), Never.self)
    expect([first].async.setFailureType(to: First.self).joined(separator: first), First.self)
  }

  @Test func threeSequencesWithDifferentFailuresFailWithAnyError() {
    expect(merge(first, never, first), (any Error).self)
    expect(zip(never, first, second), (any Error).self)
    expect(combineLatest(any, never, never), (any Error).self)
    expect(race(never, never, second), (any Error).self)
    expect(chain(first, first, never), (any Error).self)
    expect([first].async.joined(separator: first), (any Error).self)
  }
}
