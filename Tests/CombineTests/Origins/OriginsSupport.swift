import Combine
import InterflowTestSupport
import InterflowTesting

/// Everything that a publisher delivers to a subscriber without limits: the values, then `finished` or the error.
func log<P: Publisher>(of publisher: P) -> [String] {
  let recorder = RecordingSubscriber<P.Output, P.Failure>()
  publisher.subscribe(recorder)
  return recorder.log
}

/// For closures that an operator must not call.
func unreachable<each Argument, R>(_ argument: repeat each Argument) -> R {
  fatalError("a closure was called that the operator has no use for")
}

/// For closures that may throw, and do.
func throwing<each Argument, R>(_ argument: repeat each Argument) throws -> R {
  throw TestError()
}

/// A sequence that is not a collection.
struct Single<Element>: Sequence {
  let elements: [Element]

  init(_ elements: Element...) { self.elements = elements }

  func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }
}
