import Combine
import Foundation

extension Gallery {
  func drawCombining() {
    draw("merge", on: "merge(with:)", of: letters("-a---b-|"), letters("--1-2----|")) {
      first, second in
      first.merge(with: second)
    }
    draw("combineLatest", on: "combineLatest(_:)", of: letters("-a---b-|"), letters("--1-2----|")) { first, second in
      first.combineLatest(second)
    }
    draw("zip", on: "zip(_:)", of: letters("-a-b---c-|"), letters("--1---2--3--|")) { first, second in
      first.zip(second)
    }
    draw("append", on: "append(_:)-5yh02", of: letters("-a-b|"), cold("-c-d-|")) { first, second in
      first.append(second)
    }
    draw("appendValues", on: "append(_:)-1qb8d", "append(_:)-69sdn", of: letters("-a-b-|")) { source in
      source.append("y", "z")
    }
    draw("prepend", on: "prepend(_:)-5dj9c", of: cold("-c-d-|"), letters("-a-b|")) { source, earlier in
      source.prepend(earlier)
    }
    draw("prependValues", on: "prepend(_:)-7wk5l", "prepend(_:)-v9sb", of: letters("---a-b-|")) { source in
      source.prepend("y", "z")
    }
    draw("flatMap", on: "flatMap(maxPublishers:_:)", of: letters("-a---b|"), cold("1--2--3|")) { source, inner in
      source.flatMap { letter in
        inner.map { letter + $0 }
      }
    }
    draw("switchToLatest", on: "switchToLatest()", of: letters("-a---b|"), cold("1--2--3|")) { source, inner in
      source
        .map { letter in inner.map { letter + $0 } }
        .switchToLatest()
    }
  }

  func drawTiming() {
    draw("debounce", on: "debounce(for:scheduler:options:)", of: letters("-ab---c----|")) { source in
      source.debounce(for: 2, scheduler: scheduler)
    }
    draw("throttle", on: "throttle(for:scheduler:latest:)", of: letters("-abcd----e-|")) { source in
      source.throttle(for: 3, scheduler: scheduler, latest: true)
    }
    draw("delay", on: "delay(for:tolerance:scheduler:options:)", of: letters("-a-bc-|")) { source in
      source.delay(for: 2, scheduler: scheduler)
    }
    draw("timeout", on: "timeout(_:scheduler:options:customError:)", of: letters("-a-b----c-|")) { source in
      source.timeout(3, scheduler: scheduler)
    }
    draw("measureInterval", on: "measureInterval(using:options:)", of: letters("-a--b-c-|")) { source in
      source.measureInterval(using: scheduler)
    }
    draw("collectByTime", on: "collect(_:options:)", of: letters("-ab--c----d-|")) { source in
      source.collect(.byTime(scheduler, 4))
    }
  }

  func drawErrors() {
    draw("catch", on: "catch(_:)", of: failing("-1-2-#"), numbers("----------8-9-|")) { source, fallback in
      source.catch { _ in fallback }
    }
    draw("retry", on: "retry(_:)", of: coldFailing("-1-2-#")) { source in
      source.retry(1)
    }
    draw("replaceError", on: "replaceError(with:)", of: failing("-1-2-#")) { source in
      source.replaceError(with: 0)
    }
    draw("mapError", on: "mapError(_:)", of: failing("-1-2-#")) { source in
      source.mapError { _ in CocoaError(.fileNoSuchFile) }
    }
    draw("tryFilter", on: "tryFilter(_:)", of: numbers("-1-2-3-|")) { source in
      source.tryFilter { if $0 == 3 { throw Offline() } else { $0 > 1 } }
    }
  }
}
