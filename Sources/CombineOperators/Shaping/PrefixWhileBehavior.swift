import Combine

/// Whether the value that ends a ``Combine/Publisher/prefix(while:behavior:)`` is delivered.
public enum PrefixWhileBehavior: Sendable, Hashable {
  /// It is not delivered.
  case exclusive
  /// It is delivered as the last.
  case inclusive
}

extension Publisher {
  /// Delivers values as long as a predicate accepts them, and perhaps the first that it does not.
  ///
  /// ```swift
  /// let steps = progress.prefix(while: { $0 < 100 }, behavior: .inclusive)
  /// ```
  ///
  /// With `inclusive`, the stream finishes with the value that ends it and not with the one after it.
  ///
  /// - Demand: Is requested from this publisher.
  /// - Cancellation: The value that ends it cancels this publisher.
  /// - Parameters:
  ///   - predicate: Whether to go on.
  ///   - behavior: Whether the value that ends it is delivered.
  public func prefix(
    while predicate: @escaping (Output) -> Bool, behavior: PrefixWhileBehavior = .exclusive
  ) -> AnyPublisher<Output, Failure> {
    switch behavior {
    case .exclusive: prefix(while: predicate).eraseToAnyPublisher()
    case .inclusive: InclusivePrefix(upstream: self, predicate: predicate).eraseToAnyPublisher()
    }
  }
}

private struct InclusivePrefixValues: DeliveryValues {
  /// Whether the last value has arrived. Others may be sent from inside its delivery.
  var isOver = false
}

private struct InclusivePrefix<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let predicate: (Output) -> Bool

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let delivery = Delivery(subscriber, "PrefixWhile", InclusivePrefixValues())
    let predicate = self.predicate
    delivery.joinAlone(upstream) { delivery, value in
      guard !delivery.values.isOver else { return }
      let goesOn = predicate(value)
      if !goesOn { delivery.values.isOver = true }
      delivery.send(value)
      if !goesOn { delivery.finish() }
    } onCompletion: {
      if case .failure = $1 { $0.finish($1, unrequested: .dropped) } else { $0.finish() }
    }
  }
}
