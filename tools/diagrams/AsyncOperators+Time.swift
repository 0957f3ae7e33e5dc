import AsyncOperators

extension Gallery {
  func drawTimed() {
    draw(
      "debounce", on: "debounce(for:tolerance:clock:)", "debounce(for:tolerance:)", "AsyncDebounceSequence",
      of: elements("-ab---c----|")
    ) { source in
      source.debounce(for: .seconds(2), clock: clock)
    }
    draw(
      "throttle", on: "throttle(for:clock:latest:)", "throttle(for:latest:)", "AsyncThrottleSequence",
      of: elements("-abcd----e-|")
    ) { source in
      source.throttle(for: .seconds(3), clock: clock)
    }
    draw(
      "throttleReducing", on: "throttle(for:clock:reducing:)", "throttle(for:reducing:)", of: elements("-abcd----e-|")
    ) { source in
      source.throttle(for: .seconds(3), clock: clock) { ($0 ?? "") + $1 }
    }
    draw(
      "delay", on: "delay(for:tolerance:clock:limit:)", "delay(for:tolerance:limit:)", "AsyncDelaySequence",
      of: elements("-a-bc-|")
    ) { source in
      source.delay(for: .seconds(2), clock: clock)
    }
    draw(
      "timeout", on: "timeout(for:tolerance:clock:)", "timeout(for:tolerance:)", "AsyncTimeoutSequence",
      of: elements("-a-b----c-|")
    ) { source in
      source.timeout(for: .seconds(3), clock: clock)
    }
    draw(
      "timeoutCustomError", on: "timeout(for:tolerance:clock:customError:)", "timeout(for:tolerance:customError:)",
      of: failingIntegers("-1-2----3-|")
    ) { source in
      source.timeout(for: .seconds(3), clock: clock) { Offline() }
    }
    draw("measureInterval", on: "measureInterval(using:)", "AsyncMeasureIntervalSequence", of: elements("-a--b-c-|")) {
      source in
      source.measureInterval(using: clock)
    }
  }

  func drawTimer() {
    draw("AsyncTimerSequence", on: "AsyncTimerSequence", of: testClock()) { clock in
      AsyncTimerSequence(interval: .seconds(2), clock: clock).prefix(3)
    }
  }

  func drawFailures() {
    draw("catch", on: "catch(_:)", "AsyncCatchSequence", of: failingIntegers("-1-2-#"), integers("-8-9-|")) {
      source, fallback in
      source.catch { _ in fallback }
    }
    draw("tryCatch", on: "tryCatch(_:)", of: failingIntegers("-1-2-#"), integers("-8-9-|")) { source, fallback in
      source.tryCatch { error in
        if error != Offline() { throw error }
        return fallback
      }
    }
    draw("retry", on: "retry(_:)", "AsyncRetrySequence", of: failingIntegers("-1-2-#")) { source in
      source.retry(1)
    }
    draw(
      "retryBackoff", on: "retry(_:backoff:)", "retry(_:backoff:tolerance:clock:)", "RetryBackoff",
      of: failingIntegers("-1-#")
    ) { source in
      source.retry(2, backoff: .exponential(from: .seconds(1), upTo: .seconds(8)), clock: clock)
    }
    draw("retryWhen", on: "retryWhen(_:)", of: failingIntegers("-1-#")) { source in
      source.retryWhen { error, count in error == Offline() && count < 2 }
    }
    draw("replaceError", on: "replaceError(with:)", "AsyncReplaceErrorSequence", of: failingIntegers("-1-2-#")) {
      source in
      source.replaceError(with: 0)
    }
    draw("mapError", on: "mapError(_:)", "AsyncMapErrorSequence", of: failingIntegers("-1-2-#")) { source in
      source.mapError { _ in AsyncTimeoutError() }
    }
    draw("mapToResult", on: "mapToResult()", "AsyncMapToResultSequence", of: failingIntegers("-1-2-#")) { source in
      source.mapToResult()
    }
    draw("materialize", on: "materialize()", "AsyncMaterializeSequence", of: failingIntegers("-1-2-#")) { source in
      source.materialize()
    }
    draw("dematerialize", on: "dematerialize()", "AsyncDematerializeSequence", of: failingIntegers("-1-2-#")) {
      source in
      source
        .materialize()
        .dematerialize()
    }
  }
}
