import AsyncOperators

extension Gallery {
  func drawAsyncOperators() {
    begin("AsyncOperators")
    drawJoining()
    drawMoreJoined()
    drawConcatenated()
    drawFlattened()
    drawShaped()
    drawChunked()
    drawReduced()
    drawResults()
    drawTimed()
    drawTimer()
    drawFailures()
    drawBuffered()
    drawShared()
    drawSubjects()
  }

  private func drawJoining() {
    draw("merge", on: "merge(_:_:)", "AsyncMerge2Sequence", of: elements("-a---b-|"), elements("--1-2----|")) {
      first, second in
      merge(first, second)
    }
    draw(
      "combineLatest", on: "combineLatest(_:_:)", "AsyncCombineLatest2Sequence", of: elements("-a---b-|"),
      elements("--1-2----|")
    ) { first, second in
      combineLatest(first, second)
    }
    draw("zip", on: "zip(_:_:)", "AsyncZip2Sequence", of: elements("-a-b---c-|"), elements("--1---2--3--|")) {
      first, second in
      zip(first, second)
    }
    draw("race", on: "race(_:_:)", "AsyncRaceSequence", of: elements("---a-b-|"), elements("-1-2--3--|")) {
      first, second in
      race(first, second)
    }
    draw(
      "withLatestFrom", on: "withLatestFrom(_:)", "AsyncWithLatestFromSequence", of: elements("-a--b-c--|"),
      elements("--1--2----|")
    ) { source, other in
      source.withLatestFrom(other)
    }
    draw("withLatestFromTransform", on: "withLatestFrom(_:_:)", of: elements("-a--b-c--|"), elements("--1--2----|")) {
      source, other in
      source.withLatestFrom(other) { $0 + $1 }
    }
    draw(
      "dropUntilOutput", on: "drop(untilOutputFrom:)", "AsyncDropUntilOutputSequence", of: elements("-a-b-c-d-|"),
      elements("----x---|")
    ) { source, other in
      source.drop(untilOutputFrom: other)
    }
    draw(
      "prefixUntilOutput", on: "prefix(untilOutputFrom:)", "AsyncPrefixUntilOutputSequence",
      of: elements("-a-b-c-d-|"), elements("----x---|")
    ) { source, other in
      source.prefix(untilOutputFrom: other)
    }
  }

  private func drawMoreJoined() {
    let letters = elements("-a---b-|")
    let digits = elements("--1-2----|")
    let capitals = elements("---X---Y-|")
    let signs = elements("----+--=--|")
    let last = elements("-----m-|")
    let extra = elements("-----n--|")
    draw("merge3", on: "merge(_:_:_:)", "AsyncMerge3Sequence", of: letters, digits, capitals) { p, q, r in
      merge(p, q, r)
    }
    draw("merge4", on: "merge(_:_:_:_:)", of: letters, digits, capitals, signs) { p, q, r, s in
      merge(p, q, r, s)
    }
    draw("merge5", on: "merge(_:_:_:_:_:)", of: letters, digits, capitals, signs, last) { p, q, r, s, t in
      merge(p, q, r, s, t)
    }
    draw("merge6", on: "merge(_:_:_:_:_:_:)", of: letters, digits, capitals, signs, last, extra) {
      p, q, r, s, t, u in
      merge(p, q, r, s, t, u)
    }
    draw("mergeMany", on: "merge(_:)", "AsyncMergeManySequence", of: letters, digits, capitals) { p, q, r in
      merge([p, q, r])
    }
    draw("combineLatest3", on: "combineLatest(_:_:_:)", "AsyncCombineLatest3Sequence", of: letters, digits, capitals) {
      p, q, r in
      combineLatest(p, q, r)
    }
    draw("combineLatest4", on: "combineLatest(_:_:_:_:)", of: letters, digits, capitals, signs) { p, q, r, s in
      combineLatest(p, q, r, s)
    }
    draw("combineLatest5", on: "combineLatest(_:_:_:_:_:)", of: letters, digits, capitals, signs, last) {
      p, q, r, s, t in
      combineLatest(p, q, r, s, t)
    }
    draw("combineLatest6", on: "combineLatest(_:_:_:_:_:_:)", of: letters, digits, capitals, signs, last, extra) {
      p, q, r, s, t, u in
      combineLatest(p, q, r, s, t, u)
    }
    draw(
      "combineLatestMany", on: "combineLatest(_:)", "AsyncCombineLatestManySequence", "AsyncCombineLatestSequence",
      of: letters, digits, capitals
    ) { p, q, r in
      combineLatest([p, q, r])
    }
    draw("zip3", on: "zip(_:_:_:)", "AsyncZip3Sequence", of: letters, digits, capitals) { p, q, r in
      zip(p, q, r)
    }
    draw("zip4", on: "zip(_:_:_:_:)", of: letters, digits, capitals, signs) { p, q, r, s in
      zip(p, q, r, s)
    }
    draw("zip5", on: "zip(_:_:_:_:_:)", of: letters, digits, capitals, signs, last) { p, q, r, s, t in
      zip(p, q, r, s, t)
    }
    draw("zip6", on: "zip(_:_:_:_:_:_:)", of: letters, digits, capitals, signs, last, extra) { p, q, r, s, t, u in
      zip(p, q, r, s, t, u)
    }
    draw("zipMany", on: "zip(_:)", "AsyncZipManySequence", "AsyncZipSequence", of: letters, digits, capitals) {
      p, q, r in
      zip([p, q, r])
    }
    draw("race3", on: "race(_:_:_:)", of: letters, digits, capitals) { p, q, r in
      race(p, q, r)
    }
    draw("raceMany", on: "race(_:)", of: capitals, digits, letters) { p, q, r in
      race([p, q, r])
    }
  }

  private func drawConcatenated() {
    draw("chain", on: "chain(_:_:)", "AsyncChain2Sequence", of: elements("-a-b|"), elements("-1-2-|")) {
      first, second in
      chain(first, second)
    }
    draw(
      "chain3", on: "chain(_:_:_:)", "AsyncChain3Sequence", of: elements("-a-b|"), elements("-1|"), elements("-X-Y-|")
    ) { first, second, third in
      chain(first, second, third)
    }
    draw(
      "append", on: "append(_:)-9paxs", "append(_:)-3l20j", "append(_:)-56y5n", "append(_:)-5u3de",
      of: elements("-a-b|"), elements("-1-2-|")
    ) { source, other in
      source.append(other)
    }
    draw(
      "appendElements", on: "append(_:)-3kdtv", "append(_:)-6xvc", "AsyncAppendSequence", of: elements("-a-b-|")
    ) { source in
      source.append("y", "z")
    }
    draw(
      "prepend", on: "prepend(_:)-1zy5o", "prepend(_:)-5ys0b", "prepend(_:)-67jwc", "prepend(_:)-8s9u",
      of: elements("-1-2-|"), elements("-a-b|")
    ) { source, earlier in
      source.prepend(earlier)
    }
    draw(
      "prependElements", on: "prepend(_:)-6xb2", "prepend(_:)-7aqhz", "AsyncPrependSequence", of: elements("---a-b-|")
    ) { source in
      source.prepend("y", "z")
    }
    draw("joined", on: "joined()", "AsyncJoinedSequence", of: elements("-a---b|"), elements("-1-2|")) { source, inner in
      source
        .map { letter in inner.map { letter + $0 } }
        .joined()
    }
    draw(
      "joinedSeparator", on: "joined(separator:)", "AsyncJoinedBySeparatorSequence", of: elements("-a---b|"),
      elements("-1-2|"), elements("x-y|")
    ) { source, inner, separator in
      source
        .map { letter in inner.map { letter + $0 } }
        .joined(separator: separator)
    }
  }

  private func drawFlattened() {
    draw("concatMap", on: "concatMap(_:)", "AsyncConcatMapSequence", of: elements("-a-b----|"), elements("1--2-3|")) {
      source, inner in
      source.concatMap { letter in
        inner.map { letter + $0 }
      }
    }
    draw(
      "flatMap", on: "flatMap(maxTasks:_:)", "AsyncConcurrentFlatMapSequence", of: elements("-a-b-c---|"),
      elements("1--2-3|")
    ) { source, inner in
      source.flatMap(maxTasks: 2) { letter in
        inner.map { letter + $0 }
      }
    }
    draw(
      "flatMapFirst", on: "flatMapFirst(_:)", "AsyncFlatMapFirstSequence", of: elements("-a-b------c-|"),
      elements("1--2-3|")
    ) { source, inner in
      source.flatMapFirst { letter in
        inner.map { letter + $0 }
      }
    }
    draw(
      "flatMapLatest", on: "flatMapLatest(_:)", "AsyncFlatMapLatestSequence", of: elements("-a---b|"),
      elements("1--2--3|")
    ) { source, inner in
      source.flatMapLatest { letter in
        inner.map { letter + $0 }
      }
    }
    draw("mapLatest", on: "mapLatest(_:)", of: elements("-a-b----c-|"), testClock()) { source, clock in
      source.mapLatest { letter in
        try? await clock.sleep(for: .seconds(3))
        return letter + "!"
      }
    }
    draw(
      "concurrentMap", on: "concurrentMap(maxTasks:_:)", "AsyncConcurrentMapSequence", of: integers("-4-1-2-|"),
      testClock()
    ) { source, clock in
      source.concurrentMap(maxTasks: 2) { number in
        try? await clock.sleep(for: .seconds(number))
        return number * 10
      }
    }
    draw("task", on: "task(maxTasks:_:)", of: integers("-4-1-2-|"), testClock()) { source, clock in
      source.task(maxTasks: 2) { number in
        try? await clock.sleep(for: .seconds(number))
        return number * 10
      }
    }
    draw("switchToLatest", on: "switchToLatest()", of: elements("-a---b|"), elements("1--2--3|")) { source, inner in
      source
        .map { letter in inner.map { letter + $0 } }
        .switchToLatest()
    }
  }
}
