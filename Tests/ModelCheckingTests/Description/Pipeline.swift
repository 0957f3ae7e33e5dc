/// A pipeline as a value: what to build, and what the model interprets.
indirect enum Pipeline: Hashable {
  // Where values come from. Subjects are numbers of a scenario's inputs.
  case subject(Int)
  case currentValue(Int)
  case sequence([Int])
  case just(Int)
  case optional(Int?)
  case result(Int, isFailure: Bool)
  case future(Int, isFailure: Bool)
  case record([Int], error: Int?)
  case empty
  case never
  case fail(Int)
  case deferred(Pipeline)
  case unfolded([Int])
  case created([Int], error: Int?)
  /// The first so many numbers of one that never ends.
  case interval(Int, count: Int)

  case unary(Pipeline, Operator)

  // Several publishers.
  case merge([Pipeline])
  case mergeMany([Pipeline])
  case zip([Pipeline])
  case combineLatest([Pipeline])
  case zipMany([Pipeline])
  case combineLatestMany([Pipeline])
  case amb([Pipeline])
  case append(Pipeline, Pipeline)
  case prepend(Pipeline, Pipeline)
  case catching(Pipeline, Pipeline)
  case tryCatching(Pipeline, Pipeline, throwing: Condition)
  case prefixUntil(Pipeline, Pipeline)
  case dropUntil(Pipeline, Pipeline)
  case ifEmpty(Pipeline, Pipeline)
  case latestFrom(Pipeline, Pipeline)
  case sampled(Pipeline, Pipeline)

  // A publisher for each value.
  case flatMap(Pipeline, maxPublishers: Int?, Inner)
  case switchToLatest(Pipeline, Inner)
  case flatMapFirst(Pipeline, Inner)

  /// What is made of a value, in whose place stands what it delivers.
  indirect enum Inner: Hashable {
    /// So many values, from the value on.
    case counting(Int)
    case nothing
    /// The value, or a failure on a condition.
    case value(failing: Condition)
    /// What a pipeline delivers, with the value added.
    case adding(Pipeline)
  }
}

extension Pipeline.Inner {
  /// The publisher for a value.
  func pipeline(for value: Int) -> Pipeline {
    switch self {
    case .counting(let count): .sequence((0..<count).map { value &+ $0 })
    case .nothing: .empty
    case .value(let failing): failing(value) ? .fail(value) : .just(value)
    case .adding(let pipeline): .unary(pipeline, .map(.add(value)))
    }
  }
}

extension Pipeline {
  /// What the pipeline is made of: the operators with several publishers first, and then each publisher's own.
  var children: [Pipeline] {
    switch self {
    case .subject, .currentValue, .sequence, .just, .optional, .result, .future, .record, .empty, .never, .fail,
      .unfolded, .created, .interval:
      []
    case .deferred(let upstream), .unary(let upstream, _): [upstream]
    case .merge(let all), .mergeMany(let all), .zip(let all), .combineLatest(let all), .zipMany(let all),
      .combineLatestMany(let all), .amb(let all):
      all
    case .append(let a, let b), .prepend(let a, let b), .catching(let a, let b), .tryCatching(let a, let b, _),
      .prefixUntil(let a, let b), .dropUntil(let a, let b), .ifEmpty(let a, let b), .latestFrom(let a, let b),
      .sampled(let a, let b):
      [a, b]
    case .flatMap(let outer, _, .adding(let inner)), .switchToLatest(let outer, .adding(let inner)),
      .flatMapFirst(let outer, .adding(let inner)):
      [outer, inner]
    case .flatMap(let outer, _, _), .switchToLatest(let outer, _), .flatMapFirst(let outer, _): [outer]
    }
  }

  /// The same with other parts in the places of ``children``.
  func replacingChildren(_ parts: [Pipeline]) -> Pipeline {
    switch self {
    case .subject, .currentValue, .sequence, .just, .optional, .result, .future, .record, .empty, .never, .fail,
      .unfolded, .created, .interval:
      self
    case .deferred: .deferred(parts[0])
    case .unary(_, let op): .unary(parts[0], op)
    case .merge: .merge(parts)
    case .mergeMany: .mergeMany(parts)
    case .zip: .zip(parts)
    case .combineLatest: .combineLatest(parts)
    case .zipMany: .zipMany(parts)
    case .combineLatestMany: .combineLatestMany(parts)
    case .amb: .amb(parts)
    case .ifEmpty: .ifEmpty(parts[0], parts[1])
    case .append: .append(parts[0], parts[1])
    case .prepend: .prepend(parts[0], parts[1])
    case .catching: .catching(parts[0], parts[1])
    case .tryCatching(_, _, let throwing): .tryCatching(parts[0], parts[1], throwing: throwing)
    case .prefixUntil: .prefixUntil(parts[0], parts[1])
    case .dropUntil: .dropUntil(parts[0], parts[1])
    case .latestFrom: .latestFrom(parts[0], parts[1])
    case .sampled: .sampled(parts[0], parts[1])
    case .flatMap(_, let count, .adding): .flatMap(parts[0], maxPublishers: count, .adding(parts[1]))
    case .flatMap(_, let count, let inner): .flatMap(parts[0], maxPublishers: count, inner)
    case .flatMapFirst(_, .adding): .flatMapFirst(parts[0], .adding(parts[1]))
    case .flatMapFirst(_, let inner): .flatMapFirst(parts[0], inner)
    case .switchToLatest(_, .adding): .switchToLatest(parts[0], .adding(parts[1]))
    case .switchToLatest(_, let inner): .switchToLatest(parts[0], inner)
    }
  }

  /// The name of the outermost operator or publisher.
  var name: String {
    switch self {
    case .unary(_, let op): op.name
    case .merge(let all): "merge\(all.count)"
    case .zip(let all): "zip\(all.count)"
    case .combineLatest(let all): "combineLatest\(all.count)"
    case .flatMap(_, let count, _): count == nil ? "flatMap" : "flatMap(maxPublishers:)"
    default: String(describing: self.kind)
    }
  }

  private var kind: String {
    switch self {
    case .subject: "PassthroughSubject"
    case .currentValue: "CurrentValueSubject"
    case .sequence: "Sequence"
    case .just: "Just"
    case .optional: "Optional"
    case .result: "Result"
    case .future: "Future"
    case .record: "Record"
    case .empty: "Empty"
    case .never: "Empty(completeImmediately: false)"
    case .fail: "Fail"
    case .deferred: "Deferred"
    case .unfolded: "Unfold"
    case .created: "create"
    case .interval: "Interval"
    case .mergeMany: "mergeMany"
    case .zipMany: "zip()"
    case .combineLatestMany: "combineLatest()"
    case .amb: "amb"
    case .ifEmpty: "ifEmpty"
    case .append: "append(publisher)"
    case .prepend: "prepend(publisher)"
    case .catching: "catch"
    case .tryCatching: "tryCatch"
    case .prefixUntil: "prefix(untilOutputFrom:)"
    case .dropUntil: "drop(untilOutputFrom:)"
    case .latestFrom: "withLatestFrom"
    case .sampled: "sample"
    case .switchToLatest: "switchToLatest"
    case .flatMapFirst: "flatMapFirst"
    case .unary, .merge, .zip, .combineLatest, .flatMap: ""
    }
  }

  /// The names of all operators and publishers in it.
  func forEachName(_ body: (String) -> Void) {
    body(name)
    for child in children { child.forEachName(body) }
  }

  /// Whether any part of it fulfils a condition.
  func contains(where condition: (Pipeline) -> Bool) -> Bool {
    condition(self) || children.contains { $0.contains(where: condition) }
  }

  /// Whether it joins several publishers.
  var hasSeveralInputs: Bool {
    contains {
      switch $0 {
      case .merge, .mergeMany, .zip, .combineLatest, .zipMany, .combineLatestMany, .amb, .append, .prepend, .catching,
        .tryCatching, .prefixUntil, .dropUntil, .ifEmpty, .latestFrom, .sampled:
        true
      default: false
      }
    }
  }
}
