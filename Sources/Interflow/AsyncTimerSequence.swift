public import AsyncOperators

/// An asynchronous sequence that delivers an instant of a clock at an interval: the one of `AsyncOperators`.
public typealias AsyncTimerSequence<C: Clock> = AsyncOperators.AsyncTimerSequence<C>
