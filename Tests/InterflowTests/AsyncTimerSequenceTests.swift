import AsyncOperators
import Interflow
import Testing

@Suite struct AsyncTimerSequenceAliasTests {
  @Test func nameIsNotAmbiguousBesideAsyncOperators() {
    let timer: AsyncTimerSequence<ContinuousClock> = .repeating(every: .seconds(1), clock: .continuous)
    #expect(type(of: timer) == AsyncOperators.AsyncTimerSequence<ContinuousClock>.self)
    #expect(type(of: timer) == Interflow.AsyncTimerSequence<ContinuousClock>.self)
  }
}
