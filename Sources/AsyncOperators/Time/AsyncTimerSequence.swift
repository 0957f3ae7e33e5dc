@_exported public import struct InterflowPrimitives.AsyncTimerSequence

/// An asynchronous sequence that delivers an instant of a clock at an interval.
///
/// `Interflow` has the same type. So it is declared in a module that both import, and `Interflow` does not import this
/// one: that would make its operators ambiguous in a file that imports `Interflow` and swift-async-algorithms.
public typealias AsyncTimerSequence<C: Clock> = InterflowPrimitives.AsyncTimerSequence<C>
