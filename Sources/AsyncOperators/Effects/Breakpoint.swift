#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension AsyncSequence {
  /// Stops in the debugger (raises `SIGTRAP`) when a closure returns `true`.
  ///
  /// ```swift
  /// let lines = source.breakpoint(receiveOutput: { $0.isEmpty })
  /// ```
  ///
  /// Elements, completion, failure and cancellation are the base's. Without a debugger, `SIGTRAP` ends the process.
  ///
  /// - Parameters:
  ///   - receiveOutput: Returns whether to stop at an element.
  ///   - receiveCompletion: Returns whether to stop at the end.
  public func breakpoint(
    receiveOutput: (@Sendable (Element) -> Bool)? = nil,
    receiveCompletion: (@Sendable (AsyncCompletion<Failure>) -> Bool)? = nil
  ) -> AsyncHandleEventsSequence<Self> {
    AsyncHandleEventsSequence(self) {
      IterationEvents(
        onOutput: { if receiveOutput?($0) == true { stopInDebugger() } },
        onCompletion: { if receiveCompletion?($0) == true { stopInDebugger() } })
    }
  }

  /// Stops in the debugger (raises `SIGTRAP`) when this sequence fails.
  ///
  /// ```swift
  /// let lines = source.breakpointOnError()
  /// ```
  ///
  /// Elements, completion, failure and cancellation are the base's. Without a debugger, `SIGTRAP` ends the process.
  public func breakpointOnError() -> AsyncHandleEventsSequence<Self> {
    breakpoint(receiveCompletion: {
      if case .failure = $0 { true } else { false }
    })
  }
}

private func stopInDebugger() {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    raise(SIGTRAP)
  #else
    fatalError("a breakpoint was reached")
  #endif
}
