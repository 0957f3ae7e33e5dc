import Combine

extension Gallery {
  func drawTrying() {
    draw("tryCompactMap", on: "tryCompactMap(_:)", of: numbers("-1-2-3-|")) { source in
      source.tryCompactMap { if $0 == 3 { throw Offline() } else { $0 > 1 ? $0 * 10 : nil } }
    }
    draw("tryScan", on: "tryScan(_:_:)", of: numbers("-1-2-3-|")) { source in
      source.tryScan(0) { if $1 == 3 { throw Offline() } else { $0 + $1 } }
    }
    draw("tryRemoveDuplicates", on: "tryRemoveDuplicates(by:)", of: numbers("-1-1-2-3-|")) { source in
      source.tryRemoveDuplicates { if $1 == 3 { throw Offline() } else { $0 == $1 } }
    }
    draw("tryReduce", on: "tryReduce(_:_:)", of: numbers("-1-2-3-|")) { source in
      source.tryReduce(0) { if $1 == 3 { throw Offline() } else { $0 + $1 } }
    }
    draw("tryMax", on: "tryMax(by:)", of: numbers("-2-5-3-|")) { source in
      source.tryMax { if $1 == 3 { throw Offline() } else { $0 < $1 } }
    }
    draw("tryMin", on: "tryMin(by:)", of: numbers("-2-5-3-|")) { source in
      source.tryMin { if $0 == 3 || $1 == 3 { throw Offline() } else { $0 < $1 } }
    }
    draw("tryContains", on: "tryContains(where:)", of: numbers("-1-2-3-|")) { source in
      source.tryContains { if $0 == 3 { throw Offline() } else { $0 > 5 } }
    }
    draw("tryAllSatisfy", on: "tryAllSatisfy(_:)", of: numbers("-1-2-3-|")) { source in
      source.tryAllSatisfy { if $0 == 3 { throw Offline() } else { $0 < 5 } }
    }
    draw("tryFirst", on: "tryFirst(where:)", of: numbers("-1-2-3-|")) { source in
      source.tryFirst { if $0 == 3 { throw Offline() } else { $0 > 5 } }
    }
    draw("tryLast", on: "tryLast(where:)", of: numbers("-1-2-3-|")) { source in
      source.tryLast { if $0 == 3 { throw Offline() } else { $0 < 5 } }
    }
    draw("tryDrop", on: "tryDrop(while:)", of: numbers("-1-2-3-|")) { source in
      source.tryDrop { if $0 == 3 { throw Offline() } else { $0 < 5 } }
    }
    draw("tryPrefix", on: "tryPrefix(while:)", of: numbers("-1-2-3-|")) { source in
      source.tryPrefix { if $0 == 3 { throw Offline() } else { $0 < 5 } }
    }
    draw("tryCatch", on: "tryCatch(_:)", of: failing("-1-2-#"), numbers("----------8-9-|")) { source, fallback in
      source.tryCatch { error in
        if error != Offline() { throw error }
        return fallback
      }
    }
  }

  func drawComparing() {
    draw("maxBy", on: "max(by:)", of: letters("-b-C-a-|")) { source in
      source.max { $0.lowercased() < $1.lowercased() }
    }
    draw("minBy", on: "min(by:)", of: letters("-b-C-a-|")) { source in
      source.min { $0.lowercased() < $1.lowercased() }
    }
    draw("mapKeyPaths", on: "map(_:_:)", of: numbers("-1-2-3-|")) { source in
      source.map(\.magnitude, \.nonzeroBitCount)
    }
    draw("mapKeyPaths3", on: "map(_:_:_:)", of: numbers("-1-2-3-|")) { source in
      source.map(\.magnitude, \.nonzeroBitCount, \.trailingZeroBitCount)
    }
  }
}
