import AsyncOperators

extension Gallery {
  func drawShaped() {
    draw("adjacentPairs", on: "adjacentPairs()", "AsyncAdjacentPairsSequence", of: elements("-a-b-c-|")) { source in
      source.adjacentPairs()
    }
    draw("pairwise", on: "pairwise()", of: elements("-a-b-c-|")) { source in
      source.pairwise()
    }
    draw("enumerated", on: "enumerated()", "AsyncEnumeratedSequence", of: elements("-a-b-c-|")) { source in
      source.enumerated()
    }
    draw("compacted", on: "compacted()", "AsyncCompactedSequence", of: optionalElements("-a-o-b-|")) { source in
      source.compacted()
    }
    draw("replaceNil", on: "replaceNil(with:)", "AsyncReplaceNilSequence", of: optionalElements("-a-o-b-|")) {
      source in
      source.replaceNil(with: "z")
    }
    draw("replaceEmpty", on: "replaceEmpty(with:)", "AsyncReplaceEmptySequence", of: elements("---|")) { source in
      source.replaceEmpty(with: "z")
    }
    draw("ignoreOutput", on: "ignoreOutput()", "AsyncIgnoreOutputSequence", of: elements("-a-b-c-|")) { source in
      source.ignoreOutput()
    }
    draw(
      "removeDuplicates", on: "removeDuplicates()", "AsyncRemoveDuplicatesSequence", of: elements("-a-a-b-a-|")
    ) { source in
      source.removeDuplicates()
    }
    draw(
      "removeDuplicatesBy", on: "removeDuplicates(by:)", "AsyncThrowingRemoveDuplicatesSequence",
      of: integers("-1-3-4-5-|")
    ) { source in
      source.removeDuplicates { $0 % 2 == $1 % 2 }
    }
    draw(
      "interspersed", on: "interspersed(every:with:)", "AsyncInterspersedSequence", "AsyncThrowingInterspersedSequence",
      of: elements("-a-b-c-|")
    ) { source in
      source.interspersed(with: "x")
    }
    draw("outputIn", on: "output(in:)", "AsyncOutputSequence", of: elements("-a-b-c-d-|")) { source in
      source.output(in: 1...2)
    }
    drawCalls(
      "handleEvents",
      on: "handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)",
      "AsyncHandleEventsSequence", of: elements("-a-b-|"), output(), output()
    ) { source, events, received in
      let handled = source.handleEvents(
        receiveSubscription: { events("begun") }, receiveOutput: { events($0) }, receiveCompletion: { events("\($0)") })
      for await letter in handled { received(letter) }
      received.finish()
    }
  }

  func drawChunked() {
    draw("chunks", on: "chunks(ofCount:)", "AsyncChunksOfCountSequence", of: elements("-a-b-c-|")) { source in
      source.chunks(ofCount: 2)
    }
    draw("chunksInto", on: "chunks(ofCount:into:)", of: elements("-a-b-c-|")) { source in
      source.chunks(ofCount: 2, into: ContiguousArray<String>.self)
    }
    draw("collectCount", on: "collect(_:)", of: elements("-a-b-c-|")) { source in
      source.collect(2)
    }
    draw(
      "chunksOrSignal", on: "chunks(ofCount:or:)", "AsyncChunksOfCountOrSignalSequence", of: elements("-ab-c-defg--|"),
      elements("-----x--------|")
    ) { source, signal in
      source.chunks(ofCount: 3, or: signal)
    }
    draw(
      "chunksOrSignalInto", on: "chunks(ofCount:or:into:)", of: elements("-ab-c-defg--|"), elements("-----x--------|")
    ) { source, signal in
      source.chunks(ofCount: 3, or: signal, into: ContiguousArray<String>.self)
    }
    draw(
      "chunkedBySignal", on: "chunked(by:)-25bfb", "chunked(by:)-4t11g", "chunked(by:)-5daco", "chunked(by:)-6y2hs",
      "chunked(by:)-9ig0j", "chunked(by:)-vmn6", of: elements("-ab--c-d---|"), elements("----x-----x--|")
    ) { source, signal in
      source.chunked(by: signal)
    }
    draw("chunkedBySignalInto", on: "chunked(by:into:)", of: elements("-ab--c-d---|"), elements("----x-----x--|")) {
      source, signal in
      source.chunked(by: signal, into: ContiguousArray<String>.self)
    }
    draw("chunkedBy", on: "chunked(by:)-18cgm", "AsyncChunkedByGroupSequence", of: integers("-1-3-2-4-5-|")) { source in
      source.chunked { $0 % 2 == $1 % 2 }
    }
    draw("chunkedIntoBy", on: "chunked(into:by:)", of: integers("-1-3-2-4-5-|")) { source in
      source.chunked(into: ContiguousArray<Int>.self) { $0 % 2 == $1 % 2 }
    }
    draw("chunkedOn", on: "chunked(on:)", "AsyncChunkedOnProjectionSequence", of: integers("-1-3-2-4-5-|")) { source in
      source.chunked { $0 % 2 }
    }
    draw("chunkedIntoOn", on: "chunked(into:on:)", of: integers("-1-3-2-4-5-|")) { source in
      source.chunked(into: ContiguousArray<Int>.self, on: { $0 % 2 })
    }
  }

  func drawReduced() {
    draw("scan", on: "scan(_:_:)", "AsyncScanSequence", of: integers("-1-2-3-|")) { source in
      source.scan(0) { $0 + $1 }
    }
    draw(
      "reductions", on: "reductions(_:)", "AsyncInclusiveReductionsSequence",
      "AsyncThrowingInclusiveReductionsSequence",
      of: integers("-1-2-3-|")
    ) { source in
      source.reductions { $0 + $1 }
    }
    draw(
      "reductionsFrom", on: "reductions(_:_:)", "AsyncExclusiveReductionsSequence",
      "AsyncThrowingExclusiveReductionsSequence", of: integers("-1-2-3-|")
    ) { source in
      source.reductions(10) { $0 + $1 }
    }
    draw("reductionsInto", on: "reductions(into:_:)", of: integers("-1-2-3-|")) { source in
      source.reductions(into: 10) { $0 += $1 }
    }
  }

  func drawResults() {
    drawCalls("collect", on: "collect()", of: elements("-a-b-c-|"), output()) { source, output in
      output(await source.collect())
    }
    drawCalls("first", on: "first()", of: elements("-a-b-c-|"), output()) { source, output in
      output(await source.first())
    }
    drawCalls("last", on: "last()", of: elements("-a-b-c-|"), output()) { source, output in
      output(await source.last())
    }
    drawCalls("lastWhere", on: "last(where:)", of: integers("-1-4-5-|"), output()) { source, output in
      output(await source.last { $0.isMultiple(of: 2) })
    }
    drawCalls("outputAt", on: "output(at:)", of: elements("-a-b-c-|"), output()) { source, output in
      output(await source.output(at: 1))
    }
  }
}
