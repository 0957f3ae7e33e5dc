extension AsyncSequence {
  /// Prints a line for everything that happens in an iteration.
  ///
  /// ```swift
  /// for await _ in [1].async.print("numbers") {}
  /// // numbers: receive subscription: (AsyncSyncSequence<Array<Int>>)
  /// // numbers: request max: (1)
  /// // numbers: receive value: (1)
  /// // numbers: request max: (1)
  /// // numbers: receive finished
  /// ```
  ///
  /// The lines are those of Combine's `print`. Elements, completion, failure and cancellation are the base's.
  ///
  /// Inside of a type that is a sequence itself, `print` means this method; write `Swift.print` for the function.
  ///
  /// - Parameter prefix: The beginning of each line.
  public func print(_ prefix: String = "") -> AsyncHandleEventsSequence<Self> {
    printing(prefix) { { Swift.print($0) } }
  }

  /// Writes a line to a stream for everything that happens in an iteration.
  ///
  /// ```swift
  /// let numbers = [1].async.print("numbers", to: log)
  /// ```
  ///
  /// The lines are those of Combine's `print`. Elements, completion, failure and cancellation are the base's. Each
  /// iterator has a copy of the stream, so that one which has to see the lines of all is an object.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of each line.
  ///   - stream: The stream.
  public func print<Stream: TextOutputStream & Sendable>(
    _ prefix: String = "", to stream: Stream
  ) -> AsyncHandleEventsSequence<Self> {
    printing(prefix) {
      var stream = stream
      return { Swift.print($0, to: &stream) }
    }
  }

  private func printing(
    _ prefix: String, _ makeWriter: @escaping @Sendable () -> (String) -> Void
  ) -> AsyncHandleEventsSequence<Self> {
    let prefix = prefix.isEmpty ? "" : "\(prefix): "
    let name = "\(Self.self)"
    return AsyncHandleEventsSequence(self) {
      let write = makeWriter()
      return IterationEvents(
        onBegin: { write("\(prefix)receive subscription: (\(name))") },
        onOutput: { write("\(prefix)receive value: (\($0))") },
        onCompletion: { completion in
          switch completion {
          case .finished: write("\(prefix)receive finished")
          case .failure(let error): write("\(prefix)receive error: (\(error))")
          }
        },
        onCancel: { write("\(prefix)receive cancel") },
        onRequest: { write("\(prefix)request max: (1)") })
    }
  }
}
