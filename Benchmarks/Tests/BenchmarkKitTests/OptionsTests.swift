import BenchmarkKit
import Testing

@Suite struct BenchmarkOptionsTests {
  @Test func allArgumentsTogether() throws {
    let options = try Options(["--filter", "zip", "--runs", "3", "--filter", "merge", "--json"])
    #expect(options.filters == ["zip", "merge"])
    #expect(options.runs == 3)
    #expect(options.writesJSON)
    #expect(options.measuresReferences)
  }

  @Test func referencesCanBeLeftOut() throws {
    #expect(try !Options(["--without-references"]).measuresReferences)
  }

  @Test func noArgumentsWantEverything() throws {
    let options = try Options([String]())
    #expect(options.runs == 7)
    #expect(options.wants("anything"))
  }

  @Test func filtersAreAlternatives() throws {
    let options = try Options(["--filter", "zip", "--filter", "merge"])
    #expect(options.wants("merge of two subjects"))
    #expect(!options.wants("combineLatest of two subjects"))
  }

  @Test(arguments: [
    (["--bogus"], Options.Problem.unknown("--bogus")),
    (["--filter"], .missingValue("--filter")),
    (["--runs"], .missingValue("--runs")),
    (["--runs", "0"], .invalidRuns("0")),
    (["--runs", "many"], .invalidRuns("many")),
  ])
  func badArgumentsAreNamed(arguments: [String], problem: Options.Problem) {
    #expect(throws: problem) { try Options(arguments) }
    #expect("\(problem)".contains(arguments[arguments.count - 1]))
  }
}
