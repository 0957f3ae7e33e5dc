/// Counts what random scenarios have in them, so that none of it is missing.
struct Census: CustomStringConvertible {
  /// How many kinds of operators and publishers there are to choose from.
  private static let kinds = 141

  /// How many of a hundred pipelines the model has to hold exactly: what it knows nothing of, it does not check.
  private static let exactFloor = 61.0

  private var scenarios = 0
  private var exact = 0
  private var several = 0
  private var expectations: [String: Int] = [:]
  private var names: [String: Int] = [:]

  mutating func count(_ scenario: Scenario) {
    scenarios += 1
    if scenario.pipeline.hasSeveralInputs { several += 1 }
    var found: Set<String> = []
    scenario.pipeline.forEachName { found.insert($0) }
    for name in found { names[name, default: 0] += 1 }
    let expectation = Expectation(scenario)
    if case .exactly = expectation { exact += 1 }
    let kind =
      switch expectation {
      case .exactly: scenario.appetite.isUnlimited ? "exact without limit" : "exact under bounded demand"
      case .inOrder: "values in order under bounded demand"
      case .inAnyOrder: "values in any order under bounded demand"
      case .among: "some values under bounded demand"
      case .rulesOnly: "rules only"
      }
    expectations[kind, default: 0] += 1
  }

  /// What is too seldom: an operator in fewer than one of two hundred, several inputs in fewer than three of ten, and
  /// those that the model holds exactly.
  func gaps(among count: Int) -> [String] {
    guard scenarios >= 20_000 else { return [] }
    var gaps = names.count < Self.kinds ? ["only \(names.count) kinds of operators and publishers"] : []
    gaps += names.filter { $0.value * 200 < scenarios }
      .map { "\($0.key) is in \($0.value) of \(scenarios) pipelines only" }
    if several * 10 < scenarios * 3 { gaps.append("\(several) of \(scenarios) pipelines have several inputs") }
    if exactShare < Self.exactFloor {
      gaps.append("the model holds \(percent(exactShare)) of them exactly, and should \(percent(Self.exactFloor))")
    }
    return gaps
  }

  private var exactShare: Double { 100 * Double(exact) / Double(max(1, scenarios)) }

  private func percent(_ share: Double) -> String { "\((share * 10).rounded() / 10) %" }

  var description: String {
    let counts = names.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map { "\($0.key) \($0.value)" }
    let kinds = expectations.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return """
      \(scenarios) pipelines, \(several) of them with several inputs; \(kinds.joined(separator: ", ")).
      The model holds \(percent(exactShare)) of them exactly; it must hold \(percent(Self.exactFloor)).
      In so many of them: \(counts.joined(separator: ", ")).
      """
  }
}
