import Combine

extension Gallery {
  func drawCombine() {
    begin("Combine")
    drawMapping()
    drawFiltering()
    drawReducing()
    drawSelecting()
    drawCombining()
    drawTiming()
    drawErrors()
    drawMoreCombined()
    drawTrying()
    drawComparing()
    drawSharing()
  }

  private func drawMapping() {
    draw("map", on: "map(_:)", of: numbers("-1-2--3-|")) { source in
      source.map { $0 * 10 }
    }
    draw("tryMap", on: "tryMap(_:)", of: numbers("-1-2--3-|")) { source in
      source.tryMap { if $0 == 3 { throw Offline() } else { $0 * 10 } }
    }
    draw("compactMap", on: "compactMap(_:)", of: letters("-1-x-3-|")) { source in
      source.compactMap { Int($0) }
    }
    draw("scan", on: "scan(_:_:)", of: numbers("-1-2-3-|")) { source in
      source.scan(0) { $0 + $1 }
    }
    draw("replaceNil", on: "replaceNil(with:)", of: optionals("-a-o-b-|")) { source in
      source.replaceNil(with: "z")
    }
  }

  private func drawFiltering() {
    draw("filter", on: "filter(_:)", of: numbers("-1-2-3-4-|")) { source in
      source.filter { $0.isMultiple(of: 2) }
    }
    draw("removeDuplicates", on: "removeDuplicates()", of: letters("-a-a-b-a-|")) { source in
      source.removeDuplicates()
    }
    draw("removeDuplicatesBy", on: "removeDuplicates(by:)", of: numbers("-1-3-4-5-|")) { source in
      source.removeDuplicates { $0 % 2 == $1 % 2 }
    }
    draw("replaceEmpty", on: "replaceEmpty(with:)", of: letters("---|")) { source in
      source.replaceEmpty(with: "z")
    }
    draw("ignoreOutput", on: "ignoreOutput()", of: letters("-a-b-c-|")) { source in
      source.ignoreOutput()
    }
  }

  private func drawReducing() {
    draw("collect", on: "collect()", of: letters("-a-b-c-|")) { source in
      source.collect()
    }
    draw("collectCount", on: "collect(_:)", of: letters("-a-b-c-|")) { source in
      source.collect(2)
    }
    draw("reduce", on: "reduce(_:_:)", of: numbers("-1-2-3-|")) { source in
      source.reduce(0) { $0 + $1 }
    }
    draw("count", on: "count()", of: letters("-a-b-c-|")) { source in
      source.count()
    }
    draw("max", on: "max()", of: numbers("-2-5-3-|")) { source in
      source.max()
    }
    draw("min", on: "min()", of: numbers("-2-5-1-|")) { source in
      source.min()
    }
    draw("contains", on: "contains(_:)", of: letters("-a-b-c-|")) { source in
      source.contains("b")
    }
    draw("containsWhere", on: "contains(where:)", of: numbers("-1-3-4-|")) { source in
      source.contains { $0 > 5 }
    }
    draw("allSatisfy", on: "allSatisfy(_:)", of: numbers("-2-4-5-6-|")) { source in
      source.allSatisfy { $0.isMultiple(of: 2) }
    }
  }

  private func drawSelecting() {
    draw("first", on: "first()", of: letters("-a-b-c-|")) { source in
      source.first()
    }
    draw("firstWhere", on: "first(where:)", of: numbers("-1-4-6-|")) { source in
      source.first { $0.isMultiple(of: 2) }
    }
    draw("last", on: "last()", of: letters("-a-b-c-|")) { source in
      source.last()
    }
    draw("lastWhere", on: "last(where:)", of: numbers("-1-4-5-|")) { source in
      source.last { $0.isMultiple(of: 2) }
    }
    draw("dropFirst", on: "dropFirst(_:)", of: letters("-a-b-c-d-|")) { source in
      source.dropFirst(2)
    }
    draw("dropWhile", on: "drop(while:)", of: numbers("-1-2-3-1-|")) { source in
      source.drop { $0 < 3 }
    }
    draw("prefix", on: "prefix(_:)", of: letters("-a-b-c-d-|")) { source in
      source.prefix(2)
    }
    draw("prefixWhile", on: "prefix(while:)", of: numbers("-1-2-3-1-|")) { source in
      source.prefix { $0 < 3 }
    }
    draw("outputAt", on: "output(at:)", of: letters("-a-b-c-d-|")) { source in
      source.output(at: 1)
    }
    draw("outputIn", on: "output(in:)", of: letters("-a-b-c-d-|")) { source in
      source.output(in: 1...2)
    }
    draw("dropUntilOutput", on: "drop(untilOutputFrom:)", of: letters("-a-b-c-d-|"), letters("----x---|")) {
      source, other in
      source.drop(untilOutputFrom: other)
    }
    draw("prefixUntilOutput", on: "prefix(untilOutputFrom:)", of: letters("-a-b-c-d-|"), letters("----x---|")) {
      source, other in
      source.prefix(untilOutputFrom: other)
    }
  }
}
