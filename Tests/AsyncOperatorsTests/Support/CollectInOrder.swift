import InterflowTestSupport
import InterflowTesting

/// Everything that a sequence delivers in virtual time, where the tasks of its inputs run on one thread, in the order in
/// which they have been started or resumed. Elsewhere, the elements of several inputs arrive in any order.
func collectInOrder<S: AsyncSequence & Sendable>(_ sequence: S) throws -> (values: [S.Element], error: S.Failure?)
where S.Element: Sendable {
  try TestTimeline().run { await collect(sequence) }
}
