/// Operators that have no figure, with the reason.
struct Exceptions {
  let reason: String
  /// As in `Combine/Publisher/print(_:to:)`: all overloads.
  let operators: [String]
}

extension [Exceptions] {
  static let all: Self = [
    Exceptions(
      reason: "Passes on what it receives; a figure would show the same line twice.",
      operators: [
        "AsyncOperators/AsyncSequence/assertNoFailure(_:file:line:)",
        "AsyncOperators/AsyncSequence/breakpoint(receiveOutput:receiveCompletion:)",
        "AsyncOperators/AsyncSequence/breakpointOnError()",
        "AsyncOperators/AsyncSequence/eraseToAnyAsyncSequence()",
        "AsyncOperators/AsyncSequence/eraseToSomeAsyncSequence()",
        "AsyncOperators/AsyncSequence/print(_:)",
        "AsyncOperators/AsyncSequence/print(_:to:)",
        "AsyncOperators/AsyncSequence/setFailureType(to:)",
        "Combine/Publisher/assertNoFailure(_:file:line:)",
        "Combine/Publisher/breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)",
        "Combine/Publisher/breakpointOnError()",
        "Combine/Publisher/eraseToAnyPublisher()",
        "Combine/Publisher/print(_:to:)",
        "Combine/Publisher/setFailureType(to:)",
      ]),
    Exceptions(
      reason: "Changes on which scheduler something happens, and not when.",
      operators: [
        "Combine/Publisher/receive(on:options:)",
        "Combine/Publisher/subscribe(on:options:)",
      ]),
    Exceptions(
      reason: "Is the end of a chain, which has no output.",
      operators: [
        "AsyncOperators/AsyncSequence/assign(to:on:isolation:)",
        "AsyncOperators/AsyncSequence/sink(priority:receiveCompletion:receiveValue:)",
        "AsyncOperators/AsyncSequence/sink(priority:receiveValue:)",
        "Combine/Publisher/assign(to:)",
        "Combine/Publisher/assign(to:on:)",
        "Combine/Publisher/receive(subscriber:)",
        "Combine/Publisher/sink(receiveCompletion:receiveValue:)",
        "Combine/Publisher/sink(receiveValue:)",
        "Combine/Publisher/subscribe(_:)",
        "CombineOperators/Publisher/assign(to:on:and:on:)",
        "CombineOperators/Publisher/assign(to:on:and:on:and:on:)",
        "CombineOperators/Publisher/assign(to:on:and:on:and:on:ownership:)",
        "CombineOperators/Publisher/assign(to:on:and:on:ownership:)",
        "CombineOperators/Publisher/assign(to:on:ownership:)",
        "CombineOperators/Publisher/subscribe(_:)",
        "Interflow/Publisher/assign(to:)",
        "Interflow/Publisher/emptySink()",
        "Interflow/Publisher/sink(isolation:receiveCompletion:receiveValue:)",
        "Interflow/Publisher/sink(isolation:receiveValue:)",
      ]),
    Exceptions(
      reason: "Maps each value to bytes or back; a figure would show bytes.",
      operators: [
        "Combine/Publisher/decode(type:decoder:)",
        "Combine/Publisher/encode(encoder:)",
      ]),
    Exceptions(
      reason: "Has no input and no times of its own: what it sends is there at once.",
      operators: [
        "AsyncOperators/Sequence/async",
        "Combine/Sequence/publisher",
      ]),
    Exceptions(
      reason: "Calls a closure, and is no sequence.",
      operators: [
        "AsyncOperators/retry(_:backoff:operation:)",
        "AsyncOperators/retry(_:backoff:tolerance:clock:operation:)",
      ]),
    Exceptions(
      reason: "Is a requirement without an implementation of its own, or sends no values.",
      operators: ["Combine/ObservableObject/objectWillChange"]),
  ]
}
