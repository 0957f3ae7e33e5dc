import AsyncOperators
import Testing

private struct First: Error {}
private struct Second: Error {}

private let never = [1].async
private let first = never.setFailureType(to: First.self)
private let second = never.setFailureType(to: Second.self)
private let any = never.setFailureType(to: (any Error).self)

private func later<Value>(_ value: Value) async -> Value { value }

/// Compiles if the sequence fails with that type and no other.
private func expect<S: AsyncSequence, Failure>(_ sequence: S, _ failure: Failure.Type) where S.Failure == Failure {
  #expect(S.Failure.self == failure)
}

/// The failure types of operators that are methods, for each pair of failure types of the sequence and the other one.
///
/// They are compared by the compiler: a wrong one is an error.
@Suite struct FailureTypesOfMethodsTests {
  @Test func flatMap() {
    expect(never.flatMap(maxTasks: 2) { _ in never }, Never.self)
    expect(never.flatMap(maxTasks: 2) { _ in first }, First.self)
    expect(never.flatMap(maxTasks: 2) { _ in second }, Second.self)
    expect(never.flatMap(maxTasks: 2) { _ in any }, (any Error).self)
    expect(first.flatMap(maxTasks: 2) { _ in never }, First.self)
    expect(first.flatMap(maxTasks: 2) { _ in first }, First.self)
    expect(first.flatMap(maxTasks: 2) { _ in second }, (any Error).self)
    expect(first.flatMap(maxTasks: 2) { _ in any }, (any Error).self)
    expect(second.flatMap(maxTasks: 2) { _ in never }, Second.self)
    expect(second.flatMap(maxTasks: 2) { _ in first }, (any Error).self)
    expect(second.flatMap(maxTasks: 2) { _ in second }, Second.self)
    expect(second.flatMap(maxTasks: 2) { _ in any }, (any Error).self)
    expect(any.flatMap(maxTasks: 2) { _ in never }, (any Error).self)
    expect(any.flatMap(maxTasks: 2) { _ in first }, (any Error).self)
    expect(any.flatMap(maxTasks: 2) { _ in second }, (any Error).self)
    expect(any.flatMap(maxTasks: 2) { _ in any }, (any Error).self)
  }

  @Test func flatMapOfASuspendingClosure() {
    expect(never.flatMap(maxTasks: 2) { _ in await later(never) }, Never.self)
    expect(never.flatMap(maxTasks: 2) { _ in await later(first) }, First.self)
    expect(never.flatMap(maxTasks: 2) { _ in await later(second) }, Second.self)
    expect(never.flatMap(maxTasks: 2) { _ in await later(any) }, (any Error).self)
    expect(first.flatMap(maxTasks: 2) { _ in await later(never) }, First.self)
    expect(first.flatMap(maxTasks: 2) { _ in await later(first) }, First.self)
    expect(first.flatMap(maxTasks: 2) { _ in await later(second) }, (any Error).self)
    expect(first.flatMap(maxTasks: 2) { _ in await later(any) }, (any Error).self)
    expect(second.flatMap(maxTasks: 2) { _ in await later(never) }, Second.self)
    expect(second.flatMap(maxTasks: 2) { _ in await later(first) }, (any Error).self)
    expect(second.flatMap(maxTasks: 2) { _ in await later(second) }, Second.self)
    expect(second.flatMap(maxTasks: 2) { _ in await later(any) }, (any Error).self)
    expect(any.flatMap(maxTasks: 2) { _ in await later(never) }, (any Error).self)
    expect(any.flatMap(maxTasks: 2) { _ in await later(first) }, (any Error).self)
    expect(any.flatMap(maxTasks: 2) { _ in await later(second) }, (any Error).self)
    expect(any.flatMap(maxTasks: 2) { _ in await later(any) }, (any Error).self)
  }

  @Test func flatMapLatest() {
    expect(never.flatMapLatest { _ in never }, Never.self)
    expect(never.flatMapLatest { _ in first }, First.self)
    expect(never.flatMapLatest { _ in second }, Second.self)
    expect(never.flatMapLatest { _ in any }, (any Error).self)
    expect(first.flatMapLatest { _ in never }, First.self)
    expect(first.flatMapLatest { _ in first }, First.self)
    expect(first.flatMapLatest { _ in second }, (any Error).self)
    expect(first.flatMapLatest { _ in any }, (any Error).self)
    expect(second.flatMapLatest { _ in never }, Second.self)
    expect(second.flatMapLatest { _ in first }, (any Error).self)
    expect(second.flatMapLatest { _ in second }, Second.self)
    expect(second.flatMapLatest { _ in any }, (any Error).self)
    expect(any.flatMapLatest { _ in never }, (any Error).self)
    expect(any.flatMapLatest { _ in first }, (any Error).self)
    expect(any.flatMapLatest { _ in second }, (any Error).self)
    expect(any.flatMapLatest { _ in any }, (any Error).self)
  }

  @Test func flatMapLatestOfASuspendingClosure() {
    expect(never.flatMapLatest { _ in await later(never) }, Never.self)
    expect(never.flatMapLatest { _ in await later(first) }, First.self)
    expect(never.flatMapLatest { _ in await later(second) }, Second.self)
    expect(never.flatMapLatest { _ in await later(any) }, (any Error).self)
    expect(first.flatMapLatest { _ in await later(never) }, First.self)
    expect(first.flatMapLatest { _ in await later(first) }, First.self)
    expect(first.flatMapLatest { _ in await later(second) }, (any Error).self)
    expect(first.flatMapLatest { _ in await later(any) }, (any Error).self)
    expect(second.flatMapLatest { _ in await later(never) }, Second.self)
    expect(second.flatMapLatest { _ in await later(first) }, (any Error).self)
    expect(second.flatMapLatest { _ in await later(second) }, Second.self)
    expect(second.flatMapLatest { _ in await later(any) }, (any Error).self)
    expect(any.flatMapLatest { _ in await later(never) }, (any Error).self)
    expect(any.flatMapLatest { _ in await later(first) }, (any Error).self)
    expect(any.flatMapLatest { _ in await later(second) }, (any Error).self)
    expect(any.flatMapLatest { _ in await later(any) }, (any Error).self)
  }

  @Test func flatMapFirst() {
    expect(never.flatMapFirst { _ in never }, Never.self)
    expect(never.flatMapFirst { _ in first }, First.self)
    expect(never.flatMapFirst { _ in second }, Second.self)
    expect(never.flatMapFirst { _ in any }, (any Error).self)
    expect(first.flatMapFirst { _ in never }, First.self)
    expect(first.flatMapFirst { _ in first }, First.self)
    expect(first.flatMapFirst { _ in second }, (any Error).self)
    expect(first.flatMapFirst { _ in any }, (any Error).self)
    expect(second.flatMapFirst { _ in never }, Second.self)
    expect(second.flatMapFirst { _ in first }, (any Error).self)
    expect(second.flatMapFirst { _ in second }, Second.self)
    expect(second.flatMapFirst { _ in any }, (any Error).self)
    expect(any.flatMapFirst { _ in never }, (any Error).self)
    expect(any.flatMapFirst { _ in first }, (any Error).self)
    expect(any.flatMapFirst { _ in second }, (any Error).self)
    expect(any.flatMapFirst { _ in any }, (any Error).self)
  }

  @Test func flatMapFirstOfASuspendingClosure() {
    expect(never.flatMapFirst { _ in await later(never) }, Never.self)
    expect(never.flatMapFirst { _ in await later(first) }, First.self)
    expect(never.flatMapFirst { _ in await later(second) }, Second.self)
    expect(never.flatMapFirst { _ in await later(any) }, (any Error).self)
    expect(first.flatMapFirst { _ in await later(never) }, First.self)
    expect(first.flatMapFirst { _ in await later(first) }, First.self)
    expect(first.flatMapFirst { _ in await later(second) }, (any Error).self)
    expect(first.flatMapFirst { _ in await later(any) }, (any Error).self)
    expect(second.flatMapFirst { _ in await later(never) }, Second.self)
    expect(second.flatMapFirst { _ in await later(first) }, (any Error).self)
    expect(second.flatMapFirst { _ in await later(second) }, Second.self)
    expect(second.flatMapFirst { _ in await later(any) }, (any Error).self)
    expect(any.flatMapFirst { _ in await later(never) }, (any Error).self)
    expect(any.flatMapFirst { _ in await later(first) }, (any Error).self)
    expect(any.flatMapFirst { _ in await later(second) }, (any Error).self)
    expect(any.flatMapFirst { _ in await later(any) }, (any Error).self)
  }

  @Test func concatMap() {
    expect(never.concatMap { _ in never }, Never.self)
    expect(never.concatMap { _ in first }, First.self)
    expect(never.concatMap { _ in second }, Second.self)
    expect(never.concatMap { _ in any }, (any Error).self)
    expect(first.concatMap { _ in never }, First.self)
    expect(first.concatMap { _ in first }, First.self)
    expect(first.concatMap { _ in second }, (any Error).self)
    expect(first.concatMap { _ in any }, (any Error).self)
    expect(second.concatMap { _ in never }, Second.self)
    expect(second.concatMap { _ in first }, (any Error).self)
    expect(second.concatMap { _ in second }, Second.self)
    expect(second.concatMap { _ in any }, (any Error).self)
    expect(any.concatMap { _ in never }, (any Error).self)
    expect(any.concatMap { _ in first }, (any Error).self)
    expect(any.concatMap { _ in second }, (any Error).self)
    expect(any.concatMap { _ in any }, (any Error).self)
  }

  @Test func concatMapOfASuspendingClosure() {
    expect(never.concatMap { _ in await later(never) }, Never.self)
    expect(never.concatMap { _ in await later(first) }, First.self)
    expect(never.concatMap { _ in await later(second) }, Second.self)
    expect(never.concatMap { _ in await later(any) }, (any Error).self)
    expect(first.concatMap { _ in await later(never) }, First.self)
    expect(first.concatMap { _ in await later(first) }, First.self)
    expect(first.concatMap { _ in await later(second) }, (any Error).self)
    expect(first.concatMap { _ in await later(any) }, (any Error).self)
    expect(second.concatMap { _ in await later(never) }, Second.self)
    expect(second.concatMap { _ in await later(first) }, (any Error).self)
    expect(second.concatMap { _ in await later(second) }, Second.self)
    expect(second.concatMap { _ in await later(any) }, (any Error).self)
    expect(any.concatMap { _ in await later(never) }, (any Error).self)
    expect(any.concatMap { _ in await later(first) }, (any Error).self)
    expect(any.concatMap { _ in await later(second) }, (any Error).self)
    expect(any.concatMap { _ in await later(any) }, (any Error).self)
  }

  @Test func switchToLatest() {
    expect(never.map { _ in never }.switchToLatest(), Never.self)
    expect(never.map { _ in first }.switchToLatest(), First.self)
    expect(never.map { _ in second }.switchToLatest(), Second.self)
    expect(never.map { _ in any }.switchToLatest(), (any Error).self)
    expect(first.map { _ in never }.switchToLatest(), First.self)
    expect(first.map { _ in first }.switchToLatest(), First.self)
    expect(first.map { _ in second }.switchToLatest(), (any Error).self)
    expect(first.map { _ in any }.switchToLatest(), (any Error).self)
    expect(second.map { _ in never }.switchToLatest(), Second.self)
    expect(second.map { _ in first }.switchToLatest(), (any Error).self)
    expect(second.map { _ in second }.switchToLatest(), Second.self)
    expect(second.map { _ in any }.switchToLatest(), (any Error).self)
    expect(any.map { _ in never }.switchToLatest(), (any Error).self)
    expect(any.map { _ in first }.switchToLatest(), (any Error).self)
    expect(any.map { _ in second }.switchToLatest(), (any Error).self)
    expect(any.map { _ in any }.switchToLatest(), (any Error).self)
  }

  @Test func prepend() {
    expect(never.prepend(never), Never.self)
    expect(never.prepend(first), First.self)
    expect(never.prepend(second), Second.self)
    expect(never.prepend(any), (any Error).self)
    expect(first.prepend(never), First.self)
    expect(first.prepend(first), First.self)
    expect(first.prepend(second), (any Error).self)
    expect(first.prepend(any), (any Error).self)
    expect(second.prepend(never), Second.self)
    expect(second.prepend(first), (any Error).self)
    expect(second.prepend(second), Second.self)
    expect(second.prepend(any), (any Error).self)
    expect(any.prepend(never), (any Error).self)
    expect(any.prepend(first), (any Error).self)
    expect(any.prepend(second), (any Error).self)
    expect(any.prepend(any), (any Error).self)
  }

  @Test func drop() {
    expect(never.drop(untilOutputFrom: never), Never.self)
    expect(never.drop(untilOutputFrom: first), First.self)
    expect(never.drop(untilOutputFrom: second), Second.self)
    expect(never.drop(untilOutputFrom: any), (any Error).self)
    expect(first.drop(untilOutputFrom: never), First.self)
    expect(first.drop(untilOutputFrom: first), First.self)
    expect(first.drop(untilOutputFrom: second), (any Error).self)
    expect(first.drop(untilOutputFrom: any), (any Error).self)
    expect(second.drop(untilOutputFrom: never), Second.self)
    expect(second.drop(untilOutputFrom: first), (any Error).self)
    expect(second.drop(untilOutputFrom: second), Second.self)
    expect(second.drop(untilOutputFrom: any), (any Error).self)
    expect(any.drop(untilOutputFrom: never), (any Error).self)
    expect(any.drop(untilOutputFrom: first), (any Error).self)
    expect(any.drop(untilOutputFrom: second), (any Error).self)
    expect(any.drop(untilOutputFrom: any), (any Error).self)
  }

  @Test func withLatestFromAndAClosure() {
    expect(never.withLatestFrom(never) { $0 + $1 }, Never.self)
    expect(never.withLatestFrom(first) { $0 + $1 }, First.self)
    expect(never.withLatestFrom(second) { $0 + $1 }, Second.self)
    expect(never.withLatestFrom(any) { $0 + $1 }, (any Error).self)
    expect(first.withLatestFrom(never) { $0 + $1 }, First.self)
    expect(first.withLatestFrom(first) { $0 + $1 }, First.self)
    expect(first.withLatestFrom(second) { $0 + $1 }, (any Error).self)
    expect(first.withLatestFrom(any) { $0 + $1 }, (any Error).self)
    expect(second.withLatestFrom(never) { $0 + $1 }, Second.self)
    expect(second.withLatestFrom(first) { $0 + $1 }, (any Error).self)
    expect(second.withLatestFrom(second) { $0 + $1 }, Second.self)
    expect(second.withLatestFrom(any) { $0 + $1 }, (any Error).self)
    expect(any.withLatestFrom(never) { $0 + $1 }, (any Error).self)
    expect(any.withLatestFrom(first) { $0 + $1 }, (any Error).self)
    expect(any.withLatestFrom(second) { $0 + $1 }, (any Error).self)
    expect(any.withLatestFrom(any) { $0 + $1 }, (any Error).self)
  }

  @Test func chunkedInto() {
    expect(never.chunked(by: never, into: ContiguousArray.self), Never.self)
    expect(never.chunked(by: first, into: ContiguousArray.self), First.self)
    expect(never.chunked(by: second, into: ContiguousArray.self), Second.self)
    expect(never.chunked(by: any, into: ContiguousArray.self), (any Error).self)
    expect(first.chunked(by: never, into: ContiguousArray.self), First.self)
    expect(first.chunked(by: first, into: ContiguousArray.self), First.self)
    expect(first.chunked(by: second, into: ContiguousArray.self), (any Error).self)
    expect(first.chunked(by: any, into: ContiguousArray.self), (any Error).self)
    expect(second.chunked(by: never, into: ContiguousArray.self), Second.self)
    expect(second.chunked(by: first, into: ContiguousArray.self), (any Error).self)
    expect(second.chunked(by: second, into: ContiguousArray.self), Second.self)
    expect(second.chunked(by: any, into: ContiguousArray.self), (any Error).self)
    expect(any.chunked(by: never, into: ContiguousArray.self), (any Error).self)
    expect(any.chunked(by: first, into: ContiguousArray.self), (any Error).self)
    expect(any.chunked(by: second, into: ContiguousArray.self), (any Error).self)
    expect(any.chunked(by: any, into: ContiguousArray.self), (any Error).self)
  }

  @Test func chunksOfCountInto() {
    expect(never.chunks(ofCount: 2, or: never, into: ContiguousArray.self), Never.self)
    expect(never.chunks(ofCount: 2, or: first, into: ContiguousArray.self), First.self)
    expect(never.chunks(ofCount: 2, or: second, into: ContiguousArray.self), Second.self)
    expect(never.chunks(ofCount: 2, or: any, into: ContiguousArray.self), (any Error).self)
    expect(first.chunks(ofCount: 2, or: never, into: ContiguousArray.self), First.self)
    expect(first.chunks(ofCount: 2, or: first, into: ContiguousArray.self), First.self)
    expect(first.chunks(ofCount: 2, or: second, into: ContiguousArray.self), (any Error).self)
    expect(first.chunks(ofCount: 2, or: any, into: ContiguousArray.self), (any Error).self)
    expect(second.chunks(ofCount: 2, or: never, into: ContiguousArray.self), Second.self)
    expect(second.chunks(ofCount: 2, or: first, into: ContiguousArray.self), (any Error).self)
    expect(second.chunks(ofCount: 2, or: second, into: ContiguousArray.self), Second.self)
    expect(second.chunks(ofCount: 2, or: any, into: ContiguousArray.self), (any Error).self)
    expect(any.chunks(ofCount: 2, or: never, into: ContiguousArray.self), (any Error).self)
    expect(any.chunks(ofCount: 2, or: first, into: ContiguousArray.self), (any Error).self)
    expect(any.chunks(ofCount: 2, or: second, into: ContiguousArray.self), (any Error).self)
    expect(any.chunks(ofCount: 2, or: any, into: ContiguousArray.self), (any Error).self)
  }

  /// Whose second sequence does not count for the failure.
  @Test func prefixHasTheBasesFailure() {
    expect(never.prefix(untilOutputFrom: first), Never.self)
    expect(first.prefix(untilOutputFrom: second), First.self)
    expect(second.prefix(untilOutputFrom: any), Second.self)
    expect(any.prefix(untilOutputFrom: never), (any Error).self)
  }
}

/// The types of results, which programs write down.
@Suite struct ResultTypesTests {
  fileprivate typealias Base = AsyncSyncSequence<[Int]>
  fileprivate typealias Failing = AsyncWidenedFailureSequence<Base, First>

  @Test func chunksAreArraysUnlessSaidOtherwise() async {
    let _: AsyncChunksOfCountOrSignalSequence<Base, [Int], Base> = never.chunked(by: never)
    let _: AsyncChunksOfCountOrSignalSequence<Base, ContiguousArray<Int>, Base> = never.chunked(
      by: never, into: ContiguousArray.self)
    let chunks = await Array(["a", "b", "c"].async.chunks(ofCount: 2, into: ContiguousArray.self))
    #expect(chunks == [["a", "b"], ["c"]])
    #expect(await Array(["a", "b", "c"].async.chunks(ofCount: 2)) == [["a", "b"], ["c"]])
    #expect(await Array([1, 2, 1].async.chunked(by: <)) == [[1, 2], [1]])
    #expect(await Array([1, 2, 1].async.chunked(into: ContiguousArray.self, by: <)) == [[1, 2], [1]])
    #expect(await Array([1, 3, 2].async.chunked(on: { $0 % 2 })).map { $0.1 } == [[1, 3], [2]])
  }

  @Test func aClosureThatCannotSuspendMakesNoDeferredSequence() {
    let _: AsyncFlatMapLatestSequence<Failing, Failing> = never.flatMapLatest { _ in first }
    let _: AsyncFlatMapLatestSequence<Base, AsyncDeferredSequence<Base>> = never.flatMapLatest { _ in
      await later(never)
    }
    let _: AsyncConcatMapSequence<Failing, Failing> = never.concatMap { _ in first }
  }
}
