import AsyncOperators

extension Gallery {
  func drawAsyncOperators() {
    begin("AsyncOperators", pagesIn: "AsyncOperators/")
    draw("merge", on: "AsyncMerge2Sequence", of: elements("-a---b-|"), elements("--1-2----|")) { first, second in
      merge(first, second)
    }
    draw("combineLatest", on: "AsyncCombineLatest2Sequence", of: elements("-a---b-|"), elements("--1-2----|")) {
      first, second in
      combineLatest(first, second)
    }
    draw("zip", on: "AsyncZip2Sequence", of: elements("-a-b---c-|"), elements("--1---2--3--|")) { first, second in
      zip(first, second)
    }
    draw("debounce", on: "AsyncDebounceSequence", of: elements("-ab---c----|")) { source in
      source.debounce(for: .seconds(2), clock: clock)
    }
  }
}
