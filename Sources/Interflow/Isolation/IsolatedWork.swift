import Combine

/// A closure that runs on the actor on which it was formed, wherever it is started from.
@usableFromInline
typealias IsolatedWork = @isolated(any) @Sendable () async -> Void

/// Work that is done on an actor in steps.
@usableFromInline
protocol IsolatedSteps: Cancellable, AnyObject, Sendable {
  /// Does a step. Must be called on the actor.
  func step()
}

/// A closure that does a step on the actor on which this is called.
///
/// A task with it starts on the actor; a task that calls a method of the actor would start elsewhere.
@usableFromInline
func isolatedWork(_ steps: any IsolatedSteps, isolation: isolated any Actor) -> IsolatedWork {
  inheritingIsolation {
    // A closure inherits the isolation only if it captures it.
    _ = isolation
    steps.step()
  }
}

/// A closure that does a step on an actor that it does not retain, and cancels the steps if the actor was deallocated.
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
