/// The same error under the failure type of an operator with several inputs.
///
/// The operator's function has chosen a type that all inputs' errors have, so only where the user has stated the types
/// can an error have another one.
@usableFromInline
func converted<Failure: Error>(_ error: some Error, to type: Failure.Type) -> Failure {
  guard let failure = error as? Failure else {
    preconditionFailure(
      "an input has failed with \(error), but the operator's type states that it fails with \(type) only")
  }
  return failure
}
