import Interflow
import OtherOperators

/// `Interflow` does not make operators of `AsyncOperators` visible: this is ambiguous where it does.
func pairsOfAnotherPackage(_ timer: AsyncTimerSequence<ContinuousClock>) -> String {
  let pairs = timer.adjacentPairs()
  return "\(pairs)"
}
