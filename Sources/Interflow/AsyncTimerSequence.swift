@_exported public import struct InterflowPrimitives.AsyncTimerSequence

/// An asynchronous sequence that delivers an instant of a clock at an interval: the same type as `AsyncOperators` has.
public typealias AsyncTimerSequence<C: Clock> = InterflowPrimitives.AsyncTimerSequence<C>
