extension Pipeline {
  /// The pipeline as Swift source, near enough to be read and pasted.
  var source: String { lines.joined(separator: "\n") }

  private var lines: [String] {
    switch self {
    case .subject(let index): ["subject\(index)"]
    case .currentValue(let index): ["currentValue\(index)"]
    case .sequence(let values): ["\(values).publisher"]
    case .just(let value): ["Just(\(value))"]
    case .optional(let value): ["Optional(\(value.map(String.init) ?? "nil")).publisher"]
    case .result(let value, let isFailure): ["Result.\(isFailure ? "failure" : "success")(\(value)).publisher"]
    case .future(let value, let isFailure): ["Future { $0(.\(isFailure ? "failure" : "success")(\(value))) }"]
    case .record(let values, let error): ["Record(output: \(values), completion: \(Signal(end: error)))"]
    case .empty: ["Empty()"]
    case .never: ["Empty(completeImmediately: false)"]
    case .fail(let code): ["Fail(error: Mishap(code: \(code)))"]
    case .deferred(let publisher): Self.call("Deferred", [publisher], brackets: ("{", "}"))
    case .unfolded(let values): ["Publishers.Unfold(\(values)) { $0.isEmpty ? nil : $0.removeFirst() }"]
    case .created(let values, let error):
      [
        "AnyPublisher.create(buffering: .unbounded) {",
        "  for value in \(values) { $0.send(value) }; $0.send(completion: \(Signal(end: error)))",
        "}",
      ]
    case .interval(let length, let count):
      ["Publishers.Interval(every: .nanoseconds(\(length)), on: scheduler)", "  .prefix(\(count))"]
    case .unary(let upstream, let op): upstream.lines + ["  .\(op.source)"]
    case .merge(let all): Self.call("Publishers.Merge\(all.count)", all)
    case .mergeMany(let all): Self.call("Publishers.MergeMany", all)
    case .zip(let all): Self.call("Publishers.Zip\(all.count)", all) + ["  .map(digest)"]
    case .combineLatest(let all): Self.call("Publishers.CombineLatest\(all.count)", all) + ["  .map(digest)"]
    case .zipMany(let all): Self.call("", all, brackets: ("[", "]")) + ["  .zip().map(digest)"]
    case .combineLatestMany(let all):
      Self.call("", all, brackets: ("[", "]")) + ["  .combineLatest().map(digest)"]
    case .amb(let all): Self.call("", all, brackets: ("[", "]")) + ["  .amb()"]
    case .ifEmpty(let upstream, let other):
      upstream.lines + Self.call("  .ifEmpty(switchTo:", [other], brackets: ("", ")"))
    case .append(let upstream, let other): upstream.lines + Self.call("  .append", [other])
    case .prepend(let upstream, let other): upstream.lines + Self.call("  .prepend", [other])
    case .catching(let upstream, let other): upstream.lines + Self.call("  .catch", [other], brackets: ("{ _ in", "}"))
    case .tryCatching(let upstream, let other, let throwing):
      upstream.lines
        + Self.call("  .tryCatch", [other], brackets: ("{ error in if \(throwing) of its code { throw error }", "}"))
    case .prefixUntil(let upstream, let other):
      upstream.lines + Self.call("  .prefix(untilOutputFrom:", [other], brackets: ("", ")"))
    case .dropUntil(let upstream, let other):
      upstream.lines + Self.call("  .drop(untilOutputFrom:", [other], brackets: ("", ")"))
    case .latestFrom(let upstream, let other):
      upstream.lines + Self.call("  .withLatestFrom", [other], brackets: ("(", ") { digest([$0, $1]) }"))
    case .sampled(let upstream, let trigger): upstream.lines + Self.call("  .sample", [trigger])
    case .flatMap(let outer, let count, let inner):
      outer.lines + Self.call("  .flatMap(maxPublishers: \(count.map { ".max(\($0))" } ?? ".unlimited"))", inner)
    case .flatMapFirst(let outer, let inner): outer.lines + Self.call("  .flatMapFirst", inner)
    case .switchToLatest(let outer, let inner): outer.lines + Self.call("  .map", inner) + ["  .switchToLatest()"]
    }
  }

  private static func call(
    _ function: String, _ arguments: [Pipeline], brackets: (String, String) = ("(", ")")
  ) -> [String] {
    let indent = String(function.prefix { $0 == " " })
    var lines: [String] = []
    for (index, argument) in arguments.enumerated() {
      var argument = argument.lines.map { indent + "  " + $0 }
      if index < arguments.count - 1 { argument[argument.count - 1] += "," }
      lines += argument
    }
    return [function + (brackets.0 == "{ _ in" || brackets.0.hasPrefix("{") ? " " : "") + brackets.0]
      + lines + [indent + brackets.1]
  }

  private static func call(_ function: String, _ inner: Inner) -> [String] {
    switch inner {
    case .counting(let count): [function + " { value in (0..<\(count)).map { value &+ $0 }.publisher }"]
    case .nothing: [function + " { _ in Empty() }"]
    case .value(let failing): [function + " { \(failing) ? Fail(error: Mishap(code: $0)) : Just($0) }"]
    case .adding(let pipeline):
      call(function, [.unary(pipeline, .map(.add(0)))], brackets: ("{ value in", "}")).map {
        $0.replacing("$0 &+ 0", with: "$0 &+ value")
      }
    }
  }
}
