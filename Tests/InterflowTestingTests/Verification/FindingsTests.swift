import Testing

@testable import InterflowTesting

@Suite struct FindingsTests {
  @Test func eachFindingIsWrittenOnceWhenItIsFound() {
    let log = Log()
    let findings = Findings([.endComesOnce]) { log.add($0) }
    findings.publisherName = "App.Countdown"
    findings.record(.endComesOnce, "completion number 2 came", setting: "one thread") { ["T1   finished"] }
    findings.record(.endComesOnce, "completion number 3 came", setting: "one thread") { [] }
    findings.record(.endComesOnce, "completion number 2 came", setting: "4 threads") { [] }
    #expect(
      log.entries == [
        "PublisherVerification: App.Countdown breaks PV106_endComesOnce with one thread: completion number 2 came",
        "PublisherVerification: App.Countdown breaks PV106_endComesOnce with 4 threads: completion number 2 came",
      ])
    #expect(findings[.endComesOnce].map(\.signals) == [["T1   finished"], []])
  }

  @Test func whatIsNotReportedIsKeptAndNotWritten() {
    let log = Log()
    let findings = Findings([.endComesOnce]) { log.add($0) }
    findings.record(.signalsAreSerial, "a signal came", setting: "one thread") { [] }
    #expect(log.entries == [])
    #expect(findings[.signalsAreSerial, "one thread"])
    #expect(!findings[.signalsAreSerial, "4 threads"])
    #expect(!findings.isReported(.signalsAreSerial))
  }
}
