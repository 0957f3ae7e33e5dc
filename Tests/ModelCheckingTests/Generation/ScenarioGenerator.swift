/// Makes a scenario from a seed: the same one for the same seed.
struct ScenarioGenerator {
  /// How long subjects send.
  static let duration = 1_000_000_000_000

  /// What a part of a pipeline may have. Where several copies of it may run beside each other, the order of what is due
  /// at the same time must not depend on how an operator uses its scheduler, so such a part has either subjects or time.
  private struct Limits {
    var depth: Int
    var time = true
    var subjects = true
    var sharing = true
    /// Whether what is delivered may depend on how much is asked for at a time.
    var loss = true
    var failures = true
  }

  private var random: SplitMix
  private var inputs: [Input] = []
  private var hot: [Pipeline] = []

  static func scenario(seed: UInt64) -> Scenario {
    var generator = ScenarioGenerator(random: SplitMix(seed: seed))
    return generator.scenario()
  }

  private mutating func scenario() -> Scenario {
    let pipeline =
      switch random.number(1...100) {
      case ...30: line()
      case ...45: pipeline(Limits(depth: random.number(1...3), subjects: false, sharing: false, loss: false))
      default: pipeline(Limits(depth: random.number(1...3)))
      }
    return Scenario(
      pipeline: pipeline, inputs: inputs, appetite: appetite(), cancellation: cancellation(),
      watchesSubjects: random.chance(50))
  }

  private mutating func appetite() -> Appetite {
    if random.chance(50) { return .unlimited }
    return Appetite(
      initially: random.number(0...3), withEach: random.chance(60) ? 0 : random.number(1...2),
      nested: random.chance(50),
      later: (0..<random.number(0...4)).map { _ in
        Appetite.Request(time: time(), count: random.chance(15) ? nil : random.number(1...3))
      })
  }

  private mutating func cancellation() -> Cancellation {
    switch random.number(1...10) {
    case 1, 2: .inside(random.number(0...4))
    case 3, 4: .at(time: time())
    default: .never
    }
  }

  private mutating func time() -> Int { random.number(1...Self.duration) }

  // MARK: Publishers

  private mutating func input(_ lengths: ClosedRange<Int> = 0...7) -> Int {
    let times = (0..<random.number(lengths)).map { _ in time() }.sorted()
    var signals = times.map { TimedSignal(time: $0, signal: .value(random.number(0...9))) }
    if random.chance(80), let last = signals.indices.last {
      signals[last].signal = random.chance(65) ? .finished : .failed(random.number(0...9))
    }
    inputs.append(Input(initial: random.number(0...9), signals: signals))
    return inputs.count - 1
  }

  private mutating func subject() -> Pipeline { .subject(input()) }

  private mutating func cold() -> Pipeline {
    switch random.number(0...13) {
    case 12: .unfolded(OperatorGenerator.values(&random))
    case 13: .created(OperatorGenerator.values(&random), error: random.chance(30) ? random.number(0...9) : nil)
    case 0: .just(random.number(0...9))
    case 1: .optional(random.chance(70) ? random.number(0...9) : nil)
    case 2: .result(random.number(0...9), isFailure: random.chance(40))
    case 3: .future(random.number(0...9), isFailure: random.chance(40))
    case 4: .record(OperatorGenerator.values(&random), error: random.chance(50) ? random.number(0...9) : nil)
    case 5: random.chance(70) ? .empty : .never
    case 6: .fail(random.number(0...9))
    case 7: .deferred(cold())
    default: .sequence(OperatorGenerator.values(&random))
    }
  }

  private mutating func leaf(_ limits: Limits) -> Pipeline {
    if limits.time, limits.loss, random.chance(3) {
      return .interval(OperatorGenerator.length(&random), count: random.number(1...3))
    }
    guard limits.subjects, random.chance(55) else {
      while true {
        let leaf = cold()
        if limits.failures || !leaf.mayFail { return leaf }
      }
    }
    // Two subscriptions of one subject, now and then.
    if limits.time, !hot.isEmpty, random.chance(15) { return random.pick(hot) }
    let leaf = random.chance(75) ? subject() : .currentValue(input())
    if limits.time { hot.append(leaf) }
    return leaf
  }

  /// A leaf of which nobody gets a value that was sent before he asked.
  private mutating func withoutCurrentValue(_ limits: Limits) -> Pipeline {
    while true {
      let leaf = leaf(limits)
      if case .currentValue = leaf { continue }
      return leaf
    }
  }

  /// One publisher, operators that pass values on, and perhaps buffers and results: what there is an exact model for
  /// under any demand.
  private mutating func line() -> Pipeline {
    if random.chance(25) { return bufferedLine() }
    var pipeline = leaf(Limits(depth: 0, time: false))
    for _ in 0..<random.number(0...5) {
      let op =
        switch random.number(1...100) {
        case ...70: random.pick(OperatorGenerator.passing)(&random)
        case ...85: OperatorGenerator.buffer(&random)
        default: random.pick(OperatorGenerator.reducing)(&random)
        }
      pipeline = .unary(pipeline, op)
    }
    return pipeline
  }

  /// A subject that fills a buffer.
  private mutating func bufferedLine() -> Pipeline {
    let upstream = transparent(.subject(input(4...9)), keepsState: false)
    return transparent(.unary(upstream, OperatorGenerator.buffer(&random)), keepsState: random.chance(30))
  }

  /// One publisher, and operators that pass values on without remembering any, or if `keepsState`, with.
  private mutating func transparent(_ leaf: Pipeline, keepsState: Bool) -> Pipeline {
    (0..<random.number(0...2)).reduce(leaf) { pipeline, _ in
      .unary(pipeline, random.pick(keepsState ? OperatorGenerator.passing : OperatorGenerator.stateless)(&random))
    }
  }

  // MARK: Pipelines

  private mutating func pipeline(_ limits: Limits) -> Pipeline {
    var pipeline = limits.depth > 0 && random.chance(75) ? joined(limits) : source(limits)
    for _ in 0..<random.number(0...3) { pipeline = .unary(pipeline, anOperator(on: pipeline, limits)) }
    return pipeline
  }

  private mutating func source(_ limits: Limits) -> Pipeline {
    let leaf = leaf(limits)
    guard limits.time, random.chance(12) else { return leaf }
    return .unary(transparent(leaf, keepsState: false), .subscribeOn)
  }

  private mutating func anOperator(on pipeline: Pipeline, _ limits: Limits) -> Operator {
    while true {
      let op = anyOperator(on: pipeline, limits)
      let isFit =
        pipeline.deliversTheSameForAnyDemand ? op.deliversTheSameForAnyDemand : op.treatsEachValueAlike
      if (limits.loss || isFit) && (limits.failures || !op.mayFail) { return op }
    }
  }

  private mutating func anyOperator(on pipeline: Pipeline, _ limits: Limits) -> Operator {
    switch random.number(1...100) {
    case ...50: return random.pick(OperatorGenerator.passing)(&random)
    case ...60: return random.pick(OperatorGenerator.reducing)(&random)
    case ...75:
      let op = random.pick(OperatorGenerator.substituting)(&random)
      // Who subscribes to a shared publisher again finds it as the others have left it.
      switch op {
      case .retry where pipeline.contains(where: \.isShared), .retryWhen where pipeline.contains(where: \.isShared):
        return .print
      default: return op
      }
    case ...91 where limits.time:
      let op = random.pick(OperatorGenerator.timing)(&random)
      if case .retryDelayed = op, pipeline.contains(where: \.isShared) { return .receiveOn }
      return op
    case ...96 where limits.sharing: return random.pick(OperatorGenerator.sharing)(&random)
    default:
      let buffer = OperatorGenerator.buffer(&random)
      // Who keeps a buffer full asks for so many at a time, which is all the same to few.
      if case .buffer(let size, .keepFull, let whenFull) = buffer, !pipeline.isLine {
        return .buffer(size, .byRequest, whenFull)
      }
      return buffer
    }
  }

  private mutating func joined(_ limits: Limits) -> Pipeline {
    var limits = limits
    limits.depth -= 1
    if !limits.loss { return joinedWithoutLoss(limits) }
    switch random.number(0...21) {
    case 20:
      return .latestFrom(
        transparent(withoutCurrentValue(limits), keepsState: false), transparent(leaf(limits), keepsState: true))
    case 21:
      return .sampled(transparent(leaf(limits), keepsState: true), transparent(leaf(limits), keepsState: true))
    case 19: return .flatMapFirst(pipeline(limits), inner(limits))
    case 15: return .zipMany(pipelines(random.number(1...4), limits))
    case 16: return .combineLatestMany(pipelines(random.number(1...4), limits))
    case 17: return .amb(pipelines(random.number(2...3), limits))
    case 18: return .ifEmpty(pipeline(limits), pipeline(limits))
    case 0, 1: return .merge(pipelines(random.chance(50) ? 2 : random.number(3...8), limits))
    case 2: return .mergeMany(pipelines(random.number(1...4), limits))
    case 3, 4: return .zip(pipelines(random.number(2...4), limits))
    case 5, 6: return .combineLatest(pipelines(random.number(2...4), limits))
    case 7: return .append(pipeline(limits), pipeline(limits))
    case 8: return .prepend(pipeline(limits), pipeline(limits))
    case 9: return .catching(pipeline(limits), pipeline(limits))
    case 10:
      return .tryCatching(pipeline(limits), pipeline(limits), throwing: OperatorGenerator.condition(&random))
    case 11:
      return .prefixUntil(pipeline(limits), transparent(leaf(limits), keepsState: true))
    case 12:
      return .dropUntil(pipeline(limits), transparent(leaf(limits), keepsState: true))
    case 13:
      if random.chance(50) { return .switchToLatest(pipeline(limits), inner(limits)) }
      return .flatMap(limitedOuter(limits), maxPublishers: random.number(1...3), inner(limits))
    default:
      return .flatMap(pipeline(limits), maxPublishers: nil, inner(limits))
    }
  }

  private mutating func joinedWithoutLoss(_ limits: Limits) -> Pipeline {
    var unfailing = limits
    unfailing.failures = false
    switch random.number(0...10) {
    case 9: return .zipMany(pipelines(random.number(1...4), unfailing))
    case 10: return .ifEmpty(pipeline(limits), pipeline(limits))
    case 0: return .append(pipeline(limits), pipeline(limits))
    case 1: return .prepend(pipeline(limits), pipeline(limits))
    case 2: return .catching(pipeline(limits), pipeline(limits))
    case 3:
      return .tryCatching(
        pipeline(limits), pipeline(unfailing),
        throwing: limits.failures ? OperatorGenerator.condition(&random) : .less(.min))
    case 4: return .zip(pipelines(random.number(2...4), unfailing))
    case 5: return .merge(pipelines(random.number(2...8), unfailing))
    case 6: return .flatMap(pipeline(unfailing), maxPublishers: nil, inner(unfailing))
    default:
      // The failures that overtake what waits are rare enough elsewhere.
      let outer = transparent(.sequence(OperatorGenerator.values(&random)), keepsState: false)
      return .flatMap(outer, maxPublishers: random.number(1...3), inner(unfailing))
    }
  }

  private mutating func pipelines(_ count: Int, _ limits: Limits) -> [Pipeline] {
    var limits = limits
    // Many of them are enough.
    if count > 3 { limits.depth = 0 }
    let areSimple = random.chance(40)
    return (0..<count).map { _ in areSimple ? source(limits) : pipeline(limits) }
  }

  private mutating func limitedOuter(_ limits: Limits) -> Pipeline {
    let leaf = limits.subjects && random.chance(60) ? subject() : cold()
    let outer = transparent(leaf, keepsState: false)
    return random.chance(50) ? .unary(outer, OperatorGenerator.buffer(&random)) : outer
  }

  private mutating func inner(_ limits: Limits) -> Pipeline.Inner {
    switch random.number(0...6) {
    case 6 where limits.subjects: return .adding(subject())
    case 0, 1: return .counting(random.number(0...3))
    case 2: return .nothing
    case 3 where limits.loss: return .value(failing: OperatorGenerator.throwing(&random))
    default:
      let time = limits.time && random.chance(60)
      return .adding(
        pipeline(
          Limits(
            depth: min(limits.depth, 1), time: time, subjects: limits.subjects && !time, sharing: false,
            loss: limits.loss, failures: limits.failures)))
    }
  }
}

extension Pipeline {
  /// Whether it is one publisher and operators that pass values on without delay.
  fileprivate var isLine: Bool {
    switch self {
    case .unary(let upstream, let op):
      (Passing(op, subscribedAt: 0) != nil || Reduction(op) != nil) && upstream.isLine
    default: children.isEmpty
    }
  }

  /// Whether its outermost operator serves all its subscribers from one subscription.
  var isShared: Bool {
    switch self {
    case .unary(_, .share), .unary(_, .multicast), .unary(_, .makeConnectable), .unary(_, .shareReplay),
      .unary(_, .partitioned):
      true
    default: false
    }
  }
}
