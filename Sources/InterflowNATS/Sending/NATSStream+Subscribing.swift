import Combine
import Interflow

extension Publisher where Output: Sendable {
  /// Sends the values to a stream, in their order, with a bounded number on their way at a time.
  ///
  /// ```swift
  /// let cancellable = readings.subscribe(stream, inFlight: 64) { completion in
  ///   if case .failure(let error) = completion { print("not stored: \(error)") }
  /// }
  /// ```
  ///
  /// - Demand: `inFlight` values are requested, and more as servers store them, a quarter of `inFlight` at a time.
  /// - Errors: The first value that is not stored cancels the publisher. Values that were on their way behind it may be
  ///   stored nonetheless. So the order in the stream is the publisher's, and with one value in flight, none is missing
  ///   before one that is stored.
  /// - Cancellation: Values on their way may be stored; the completion is not reported.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - inFlight: How many values are on their way at most. Fewer than one is a programming error and traps.
  ///   - id: A value's identifier, with which it is stored once within the stream's duplicate window. One with control
  ///     characters or with blanks at its ends is a failure.
  ///   - headers: A value's headers.
  ///   - receiveCompletion: Called once when the publisher has completed and all its values are stored, or with the
  ///     publisher's failure after its values are stored, or with a ``NATSError``; on a thread of the library or of the
  ///     publisher.
  /// - Returns: A cancellable that cancels the publisher, also when it is deallocated.
  public func subscribe(
    _ stream: NATSStream<Output>, inFlight: Int = 256, id: ((Output) -> String)? = nil,
    headers: ((Output) -> NATSHeaders)? = nil, receiveCompletion: @escaping (Subscribers.Completion<any Error>) -> Void
  ) -> AnyCancellable {
    let sending = StreamSubscriber(
      stream, inFlight: inFlight, id: id, headers: headers, report: receiveCompletion)
    sending.subscribe(to: self)
    return AnyCancellable { sending.cancel() }
  }
}

extension NATSStream {
  /// Sends the values of a publisher, in their order, and returns when all are stored.
  ///
  /// ```swift
  /// try await stream.send(contentsOf: readings, inFlight: 64)
  /// ```
  ///
  /// - Demand: `inFlight` values are requested, and more as servers store them, a quarter of `inFlight` at a time.
  /// - Cancellation: Cancelling the task cancels the publisher. Values on their way may be stored nonetheless.
  ///
  /// - Parameters:
  ///   - values: The publisher.
  ///   - inFlight: How many values are on their way at most. Fewer than one is a programming error and traps.
  ///   - id: A value's identifier, with which it is stored once within the stream's duplicate window. One with control
  ///     characters or with blanks at its ends is a failure.
  ///   - headers: A value's headers.
  /// - Throws: The publisher's failure after its values are stored, a ``NATSError`` where a value is not stored, or a
  ///   `CancellationError`.
  public func send<Values: Publisher>(
    contentsOf values: Values, inFlight: Int = 256, id: ((Output) -> String)? = nil,
    headers: ((Output) -> NATSHeaders)? = nil
  ) async throws where Values.Output == Output {
    let wait = CancellableWait<Void>()
    let sending = StreamSubscriber(self, inFlight: inFlight, id: id, headers: headers) { completion in
      switch completion {
      case .finished: wait.end(.success(()))
      case .failure(let error): wait.end(.failure(error))
      }
    }
    sending.subscribe(to: values)
    try await withTaskCancellationHandler {
      try await wait.value()
    } onCancel: {
      sending.cancel()
      wait.end(.failure(CancellationError()))
    }
  }
}
