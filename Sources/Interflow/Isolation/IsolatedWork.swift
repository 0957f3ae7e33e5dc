import Combine

/// Work that begins on the actor it was made on, wherever it is started from.
@usableFromInline
typealias IsolatedWork = @isolated(any) @Sendable () async -> Void

/// Something that is done on an actor step by step.
@usableFromInline
protocol IsolatedSteps: Cancellable, AnyObject, Sendable {
  /// Does a step. To be called on the actor only.
  func step()
}

/// The work of doing a step on the actor that this is called on.
///
/// A task of it goes to the actor at once, where one that merely called into the actor would begin elsewhere.
@usableFromInline
func isolatedWork(_ steps: any IsolatedSteps, isolation: isolated any Actor) -> IsolatedWork {
  inheritingIsolation {
    // What a closure does not mention, it does not inherit.
    _ = isolation
    steps.step()
  }
}

/// The work of doing a step on an actor that it does not keep alive, and of cancelling all steps when that has gone.
@usableFromInline
func isolatedWork(_ steps: any IsolatedSteps, weakly actor: any Actor) -> IsolatedWork {
  { [weak actor] in
    if let actor { await perform(steps, isolation: actor) } else { steps.cancel() }
  }
}

private func perform(_ steps: any IsolatedSteps, isolation: isolated any Actor) {
  steps.step()
}

private func inheritingIsolation(@_inheritActorContext _ work: @escaping IsolatedWork) -> IsolatedWork {
  work
}
