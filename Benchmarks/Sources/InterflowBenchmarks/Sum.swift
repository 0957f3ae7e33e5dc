import Combine

/// Where a subscriber adds up what arrives.
final class Sum: @unchecked Sendable {  // A stream's signals are serial, and it is read when the stream has ended.
  var value = 0
}

/// The sum of what a pipeline delivers while something is done. Inlined, so that what is measured is specialised for
/// the pipeline, as it is in a user's program.
@inline(__always)
func sum(of pipeline: some Publisher<Int, Never>, while body: () -> Void = {}) -> Int {
  let sum = Sum()
  let cancellable = pipeline.sink { sum.value &+= $0 }
  body()
  return withExtendedLifetime(cancellable) { sum.value }
}

/// The sum of the values that an async pipeline delivers before its completion.
///
/// - Parameters:
///   - attach: Attaches a subscriber that adds each value to the sum, and calls the closure with the completion.
///   - send: Sends the values, if they do not come from the pipeline itself.
@inline(__always)
func sumUntilCompletion(
  attach: (Sum, _ complete: @escaping @Sendable () -> Void) -> AnyCancellable, sending send: () -> Void = {}
) async -> Int {
  let sum = Sum()
  let (done, finish) = AsyncStream<Void>.makeStream()
  let cancellable = attach(sum) { finish.finish() }
  send()
  for await _ in done {}
  cancellable.cancel()
  return sum.value
}

/// The sum of what comes through a pipeline of `0..<count`, sent one by one.
@inline(__always)
func send(_ count: Int, to subject: some Subject<Int, Never>, through pipeline: some Publisher<Int, Never>) -> Int {
  sum(of: pipeline) {
    for index in 0..<count { subject.send(index) }
  }
}

/// Sends numbers through what a closure makes of a subject.
@inline(__always)
func sumOfSends<P: Publisher>(_ count: Int, _ make: (PassthroughSubject<Int, Never>) -> P) -> Int
where P.Output == Int, P.Failure == Never {
  let subject = PassthroughSubject<Int, Never>()
  return sum(of: make(subject)) { for index in 0..<count { subject.send(index) } }
}
