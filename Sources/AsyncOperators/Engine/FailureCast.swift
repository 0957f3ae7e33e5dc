/// The same error under the failure type of an operator with several inputs.
///
/// The operator's function has chosen a type that all inputs' errors have, so another type is a defect of this module.
@usableFromInline
func converted<Failure: Error>(_ error: some Error, to type: Failure.Type) -> Failure {
  guard let failure = error as? Failure else {
    preconditionFailure("an input has failed with \(error), but the operator can fail with \(type) only")
  }
  return failure
}
