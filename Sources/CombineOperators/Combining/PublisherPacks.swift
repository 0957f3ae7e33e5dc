import Combine

// Swift has no requirement yet that all failures of a pack are the same, so the publishers are existentials, which say
// that.

/// Delivers tuples of one value of each of any number of publishers. Combine's `zip` joins up to four.
///
/// ```swift
/// let profile = zip(name, age, address, pictures, friends)
/// ```
///
/// - Demand: The subscriber's demand is requested from each publisher.
/// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
/// - Parameter publishers: The publishers, whose failures are of one kind.
public func zip<each Output, Failure: Error>(
  _ publishers: repeat any Publisher<each Output, Failure>
) -> AnyPublisher<(repeat each Output), Failure> {
  var bases: [AnyPublisher<Any, Failure>] = []
  repeat bases.append(erased(each publishers))
  return bases.zip().map { typedTuple($0) }.eraseToAnyPublisher()
}

/// Delivers tuples of the latest values of any number of publishers. Combine's `combineLatest` joins up to four.
///
/// - Demand: The subscriber's demand is requested from each publisher. If that results in more tuples than requested,
///   the latest is buffered until the next request. The completion does not wait for that request: it drops the tuple.
/// - Thread: Values that are sent from inside the subscriber are joined when its call has returned: the latest tuple is
///   delivered then, once. Values that are sent during that delivery are stored, and cause no tuple, as with Combine's
///   `combineLatest`.
/// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
/// - Parameter publishers: The publishers, whose failures are of one kind.
public func combineLatest<each Output, Failure: Error>(
  _ publishers: repeat any Publisher<each Output, Failure>
) -> AnyPublisher<(repeat each Output), Failure> {
  var bases: [AnyPublisher<Any, Failure>] = []
  repeat bases.append(erased(each publishers))
  return bases.combineLatest().map { typedTuple($0) }.eraseToAnyPublisher()
}

/// Delivers the values of any number of publishers of one kind of values. Combine's `merge` merges up to eight.
///
/// - Demand: If the subscriber's demand is limited, one value at a time is requested from each publisher, as by Combine's
///   `merge`.
/// - Cancellation: Cancels all the publishers, as the end of the stream does with those that have not completed.
/// - Parameter publishers: The publishers.
public func merge<Output, Failure: Error>(
  _ publishers: any Publisher<Output, Failure>...
) -> AnyPublisher<Output, Failure> {
  publishers.map { typed($0) }.merge()
}

private func typed<P: Publisher>(_ publisher: P) -> AnyPublisher<P.Output, P.Failure> {
  publisher.eraseToAnyPublisher()
}

/// A publisher of values that ``typedTuple(_:)`` gives their types again.
func erased<P: Publisher>(_ publisher: P) -> AnyPublisher<Any, P.Failure> {
  publisher.map { $0 as Any }.eraseToAnyPublisher()
}

/// The values in a tuple, in their order and of the types with which they were erased.
func typedTuple<each Output>(_ values: [Any]) -> (repeat each Output) {
  var index = 0
  func next<Value>(_: Value.Type) -> Value {
    defer { index += 1 }
    guard let value = values[index] as? Value else { fatalError("value \(index) of a pack has another type") }
    return value
  }
  return (repeat next((each Output).self))
}
