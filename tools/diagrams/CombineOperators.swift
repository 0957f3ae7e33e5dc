import CombineOperators
import InterflowTesting

extension Gallery {
  func drawCombineOperators() {
    begin("CombineOperators")
    drawJoining()
    drawLatest()
    drawRacing()
    drawOneAfterTheOther()
    drawShaping()
    drawSelecting()
    drawWindows()
    drawRetries()
    drawEvents()
    drawReplays()
  }

  private func drawJoining() {
    draw(
      "withLatestFrom", on: "withLatestFrom(_:resultSelector:)", "withLatestFrom(_:_:resultSelector:)",
      "withLatestFrom(_:_:_:resultSelector:)", "withLatestFrom(_:_:_:_:resultSelector:)", of: letters("-a-b--c-|"),
      numbers("--1-2-----|")
    ) { source, other in
      source.withLatestFrom(other) { "\($0)\($1)" }
    }
    draw(
      "withLatestFromOther", on: "withLatestFrom(_:)", "withLatestFrom(_:_:)", "withLatestFrom(_:_:_:)",
      "withLatestFrom(_:_:_:_:)", of: letters("-a-b--c-|"), numbers("--1-2-----|")
    ) {
      source, other in
      source.withLatestFrom(other)
    }
    draw("sample", on: "sample(_:)", of: letters("-a-b--c---|"), numbers("--1--2-34-|")) { source, trigger in
      source.sample(trigger)
    }
    draw(
      "zipWith", on: "Publisher/zip(with:)", "zip(_:)", of: letters("-a-b---|"), letters("--c-d--|"),
      letters("---e-f-|")
    ) { first, second, third in
      first.zip(with: second, third)
    }
    draw(
      "combineLatestWith", on: "Publisher/combineLatest(with:)", "combineLatest(_:)",
      of: letters("-a--b--|"), letters("--c----|"),
      letters("---d--e|")
    ) { first, second, third in
      first.combineLatest(with: second, third)
    }
  }

  private func drawLatest() {
    draw("flatMapLatest", on: "flatMapLatest(_:)", of: letters("-a---b----|"), cold("-x-y-z|")) { source, inner in
      source.flatMapLatest { letter in inner.map { letter + $0 } }
    }
    draw("flatMapFirst", on: "flatMapFirst(_:)", of: letters("-a-b-----c----|"), cold("-x-y|")) { source, inner in
      source.flatMapFirst { letter in inner.map { letter + $0 } }
    }
  }

  private func drawRacing() {
    draw(
      "amb", on: "Publisher/amb(_:)", "Publisher/amb(with:)", "race(_:_:)", "race(_:)", of: letters("--a--b-|"),
      letters("-c-d-|")
    ) { first, second in
      first.amb(second)
    }
  }

  private func drawOneAfterTheOther() {
    draw("concatMap", on: "concatMap(_:)", of: letters("-ab-------|"), cold("-x-y|")) { source, inner in
      source.buffer(size: 9, prefetch: .keepFull, whenFull: .dropNewest).concatMap { letter in
        inner.map { letter + $0 }
      }
    }
    draw("ifEmpty", on: "ifEmpty(switchTo:)", of: letters("---|"), cold("-a-b|")) { source, other in
      source.ifEmpty(switchTo: other)
    }
  }

  private func drawShaping() {
    draw("nwise", on: "nwise(_:)", of: numbers("-1-2-3-4|")) { source in
      source.nwise(3)
    }
    draw("pairwise", on: "pairwise()", of: numbers("-1-3-6|")) { source in
      source.pairwise().map { $1 - $0 }
    }
    draw("enumerated", on: "enumerated(initial:)", of: letters("-a-b-c|")) { source in
      source.enumerated().map { "\($0.index)\($0.element)" }
    }
    draw("mapToValue", on: "mapToValue(_:)", of: letters("-a-b-c|")) { source in
      source.mapToValue("x")
    }
    draw("mapToVoid", on: "mapToVoid()", of: letters("-a-b-c|")) { source in
      source.mapToVoid().map { "()" }
    }
    draw("mapMany", on: "mapMany(_:)", of: numbers("-1-2-3|")) { source in
      source.map { [$0, $0 + 1] }.mapMany { $0 * 10 }
    }
    draw("filterMany", on: "filterMany(_:)", of: numbers("-1-2-3|")) { source in
      source.map { [$0, $0 + 1] }.filterMany { $0 > 2 }
    }
    draw("toggle", on: "toggle()", of: numbers("-1-2-3|")) { source in
      source.map { $0 > 2 }.toggle()
    }
    draw("ignoreOutputType", on: "ignoreOutput(setOutputType:)", "setOutputType(to:)", of: letters("-a-b-c|")) {
      source in
      source.ignoreOutput(setOutputType: Int.self)
    }
    draw("partition", on: "partition(_:)", of: numbers("-1-2-3-4|")) { source in
      source.partition { $0.isMultiple(of: 2) }.matches
    }
    draw("mergeAll", on: "merge(_:)", of: letters("-a---b-|"), letters("--c-d--|")) { first, second in
      merge(first, second)
    }
    draw("unwrap", on: "unwrap()", of: optionals("-a-o-c|")) { source in
      source.unwrap()
    }
    draw("unwrapOrThrow", on: "unwrap(orThrow:)", of: optionals("-a-o-c|")) { source in
      source.unwrap(orThrow: Offline())
    }
  }

  private func drawSelecting() {
    draw(
      "removeAllDuplicates", on: "removeAllDuplicates()", "removeAllDuplicates(by:)", "distinct()",
      of: letters("-a-b-a-c-b-|")
    ) { source in
      source.removeAllDuplicates()
    }
    draw("prefixWhileInclusive", on: "prefix(while:behavior:)", of: numbers("-1-2-5-1-|")) { source in
      source.prefix(while: { $0 < 5 }, behavior: .inclusive)
    }
    draw("prefixDuration", on: "prefix(duration:tolerance:on:options:)", of: letters("-a-b-c-d-|")) { source in
      source.prefix(duration: .seconds(4), on: scheduler)
    }
    draw("suffix", on: "suffix(_:)", "takeLast(_:)", of: letters("-a-b-c-|")) { source in
      source.suffix(2)
    }
  }

  private func drawWindows() {
    draw("groupBy", on: "groupBy(_:)", of: numbers("-1-2-3-4-|")) { source in
      source.groupBy { $0 % 2 }.flatMap { group in group.scan(0, +) }
    }
    draw("windowCount", on: "window(count:)", of: numbers("-1-2-3-4-5-|")) { source in
      source.window(count: 2).flatMap { $0.collect() }
    }
    draw("windowTime", on: "window(time:scheduler:options:)", of: numbers("-1-2-3-4-|")) { source in
      source.window(time: .seconds(4), scheduler: scheduler).flatMap { $0.collect() }
    }
  }

  private func drawRetries() {
    draw("retryDelayed", on: "retry(_:delay:backoff:jitter:on:options:when:)", of: coldFailing("-1-#")) { source in
      source.retry(2, delay: .seconds(2), on: scheduler)
    }
    draw("retryWhen", on: "retryWhen(_:)", of: coldFailing("-1-#"), numbers("-----1-----|")) { source, trigger in
      source.retryWhen { _ in trigger }
    }
    draw(
      "ignoreFailure", on: "ignoreFailure(completeImmediately:)",
      "ignoreFailure(setFailureType:completeImmediately:)", of: failing("-1-2-#")
    ) { source in
      source.ignoreFailure()
    }
    draw("catchAndReturn", on: "catchAndReturn(_:)", of: failing("-1-2-#")) { source in
      source.catchAndReturn(9)
    }
  }

  private func drawEvents() {
    draw("materialize", on: "materialize()", of: failing("-1-2-#")) { source in
      source.materialize()
    }
    draw("dematerialize", on: "dematerialize()", of: failing("-1-2-#")) { source in
      source.materialize().dematerialize()
    }
    draw("values", on: "values()", of: failing("-1-2-#")) { source in
      source.materialize().values()
    }
    draw("failures", on: "failures()", of: failing("-1-2-#")) { source in
      source.materialize().failures()
    }
    draw("mapToResult", on: "mapToResult()", of: failing("-1-2-#")) { source in
      source.mapToResult()
    }
  }

  private func drawReplays() {
    draw(
      "shareReplay", on: "share(replay:)", "ReplaySubject", of: letters("-a-b-c-d-|"), subscribedAt: [0, 6]
    ) { source in
      source.share(replay: 2)
    }
    draw("shareReplayForever", on: "share(replay:scope:)", of: cold("-a-b-c|"), subscribedAt: [0, 9]) { source in
      source.share(replay: 2, scope: .forever)
    }
    draw(
      "shareReplayWithin", on: "share(replay:within:scheduler:scope:)", of: letters("-a-b-c-d-|"),
      subscribedAt: [0, 6]
    ) { source in
      source.share(within: .seconds(2), scheduler: scheduler)
    }
    draw(
      "shareReplayWhileConnected", on: "ReplayScope", of: cold("-a-b-c|"), subscribedAt: [0, 9]
    ) { source in
      source.share(replay: 2, scope: .whileConnected)
    }
  }
}
