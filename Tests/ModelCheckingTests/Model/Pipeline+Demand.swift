extension Pipeline {
  /// Whether the same values come in the same order however many are asked for at a time.
  var deliversTheSameForAnyDemand: Bool {
    switch self {
    case .subject, .currentValue, .interval, .merge, .mergeMany, .combineLatest, .combineLatestMany, .amb,
      .prefixUntil, .dropUntil, .switchToLatest, .flatMapFirst, .latestFrom, .sampled:
      false
    case .sequence, .just, .optional, .result, .future, .record, .empty, .never, .fail, .unfolded, .created: true
    // What makes one result asks for all values.
    case .unary(let upstream, let op) where Reduction(op) != nil: upstream.isExactWhereJoined
    case .unary(let upstream, .prependValues), .unary(let upstream, .retry), .unary(let upstream, .retryWhen),
      .unary(let upstream, .retryDelayed):
      upstream.isCold && upstream.deliversTheSameForAnyDemand
    // A failure does not wait for what nobody has requested of a buffer.
    case .unary(let upstream, .buffer(_, .keepFull, _)): upstream.deliversTheSameForAnyDemand && !upstream.mayFail
    case .unary(let upstream, let op): op.deliversTheSameForAnyDemand && upstream.deliversTheSameForAnyDemand
    case .deferred(let upstream): upstream.deliversTheSameForAnyDemand
    case .append, .prepend, .catching, .tryCatching, .ifEmpty:
      isCold && children.allSatisfy(\.deliversTheSameForAnyDemand)
    // A failure overtakes what waits here.
    case .zip, .zipMany: children.allSatisfy { $0.deliversTheSameForAnyDemand && !$0.mayFail }
    case .flatMap(let outer, let limit, let inner):
      limit == 1 && outer.deliversTheSameForAnyDemand && !outer.mayFail
        && {
          switch inner {
          case .counting, .nothing: true
          case .value: false
          case .adding(let pipeline):
            pipeline.isCold && pipeline.deliversTheSameForAnyDemand && !pipeline.mayFail
          }
        }()
    }
  }

  /// Whether the same values come however many are asked for at a time, if not in the same order.
  var deliversTheSameSetForAnyDemand: Bool {
    switch self {
    case .merge(let all), .mergeMany(let all):
      all.allSatisfy { $0.deliversTheSameSetForAnyDemand && !$0.mayFail }
    case .flatMap(let outer, _, let inner):
      outer.deliversTheSameForAnyDemand && !outer.mayFail
        && {
          switch inner {
          case .counting, .nothing: true
          case .value: false
          case .adding(let pipeline):
            pipeline.isCold && pipeline.deliversTheSameForAnyDemand && !pipeline.mayFail
          }
        }()
    case .unary(let upstream, let op): op.treatsEachValueAlike && upstream.deliversTheSameSetForAnyDemand
    default: deliversTheSameForAnyDemand
    }
  }

  /// Whether the model knows what becomes of it under demand without limit. What joins publishers in rows asks them when
  /// it has subscribed to all, so to one that has begun by itself until then the demand has a limit at first.
  var isExactWhereJoined: Bool {
    switch self {
    case .zip(let all), .combineLatest(let all), .zipMany(let all), .combineLatestMany(let all), .amb(let all):
      // An operator that leaves nothing of a known source ends it at once, and a failure comes before or after that.
      all.allSatisfy { $0.isExactWhereJoined && $0.waitsForRequest }
        && (!mayFail || !all.contains(where: \.hasOperators))
    default: children.allSatisfy(\.isExactWhereJoined)
    }
  }

  private var hasOperators: Bool { contains { if case .unary = $0 { true } else { false } } }

  /// Whether it does nothing that shows before it is asked.
  private var waitsForRequest: Bool {
    !contains {
      switch $0 {
      case .merge, .mergeMany, .flatMap, .switchToLatest, .flatMapFirst: true
      case .unary(_, .buffer), .unary(_, .debounce), .unary(_, .throttle), .unary(_, .timeout),
        .unary(_, .collectByTime), .unary(_, .collectByTimeOrCount), .unary(_, .grouped), .unary(_, .windowed),
        .sampled:
        true
      default: false
      }
    }
      || !contains {
        switch $0 {
        case .subject, .never, .interval: false
        case .unary(_, .appendValues), .unary(_, .prependValues), .unary(_, .replaceEmpty), .append, .prepend,
          .ifEmpty:
          true
        default: $0.children.isEmpty
        }
      }
  }

  /// Whether a publisher may bring more than a buffer has room for as soon as that asks, which is before anybody asks the
  /// buffer; or may fail while `flatMap` leaves values in the buffer.
  var fillsABufferAtOnce: Bool {
    contains {
      if case .flatMap(.unary(let upstream, .buffer), .some, _) = $0, upstream.mayFail { return true }
      guard case .unary(let upstream, .buffer(_, .byRequest, _)) = $0 else { return false }
      return upstream.contains {
        switch $0 {
        case .subject, .never, .interval: false
        case .unary(_, .appendValues), .unary(_, .prependValues), .unary(_, .replaceEmpty): true
        default: $0.children.isEmpty
        }
      }
    }
  }

  /// Whether it matters only to its subscriber when it is subscribed to.
  private var isCold: Bool {
    !contains {
      switch $0 {
      case .subject, .currentValue: true
      default: false
      }
    }
  }

  /// Whether what comes to who asks for so many also comes to who asks without limit.
  var deliversSomeForAnyDemand: Bool {
    switch self {
    case .subject, .currentValue: true
    case .unary(_, .debounce), .unary(_, .throttle), .unary(_, .collectByTime): true
    case .unary(let upstream, let op) where op.hasNoSayInWhatComes: upstream.deliversSomeForAnyDemand
    // What fails when it is asked for enough ends the others sooner or later.
    case .merge(let all), .mergeMany(let all): all.allSatisfy { $0.deliversSomeForAnyDemand && !$0.mayFail }
    case .deferred(let upstream), .prefixUntil(let upstream, _): upstream.deliversSomeForAnyDemand
    case .flatMap(_, nil, let inner), .switchToLatest(_, let inner):
      if case .adding(let pipeline) = inner { pipeline.deliversSomeForAnyDemand && !pipeline.mayFail } else { true }
    default: deliversTheSameForAnyDemand
    }
  }

  /// The pipeline without the throttles that somebody may ask for so many: which values they choose depends on it.
  var withoutThrottles: Pipeline {
    switch self {
    case .unary(let upstream, .throttle): upstream
    case .unary(let upstream, let op) where op.hasNoSayInWhatComes: .unary(upstream.withoutThrottles, op)
    case .merge(let all): .merge(all.map(\.withoutThrottles))
    case .mergeMany(let all): .mergeMany(all.map(\.withoutThrottles))
    case .deferred(let upstream): .deferred(upstream.withoutThrottles)
    case .prefixUntil(let upstream, let other): .prefixUntil(upstream.withoutThrottles, other)
    case .flatMap(let outer, nil, .adding(let inner)):
      .flatMap(outer, maxPublishers: nil, .adding(inner.withoutThrottles))
    case .switchToLatest(let outer, .adding(let inner)): .switchToLatest(outer, .adding(inner.withoutThrottles))
    default: self
    }
  }

  /// Whether any part of it may fail, or let others fail.
  var mayFail: Bool {
    contains {
      switch $0 {
      case .fail, .result(_, true), .future(_, true), .record(_, .some), .created(_, .some), .flatMap(_, _, .value):
        true
      case .tryCatching(_, _, let throwing): throwing != .less(.min)
      case .unary(_, let op): op.mayFail
      default: false
      }
    }
  }
}

extension Operator {
  /// Whether it may fail when its publisher does not.
  var mayFail: Bool { name.hasPrefix("try") || name == "timeout" || name == "unwrapOrThrow" }

  /// Whether it is for its publisher to say what comes for how many that are asked for.
  var hasNoSayInWhatComes: Bool {
    switch self {
    case .map, .mapKeyPath, .mapError, .replaceNil, .compactMap, .filter, .print, .handleEvents, .breakpoint, .coding,
      .mapToValue, .mapToVoid, .toggle, .mapMany, .filterMany, .unwrap, .receiveOn, .delay, .subscribeOn, .share,
      .multicast, .makeConnectable, .shareReplay, .partitioned, .buffer, .appendValues, .replaceError, .catchAndReturn:
      true
    default: false
    }
  }

  /// Whether what becomes of a value does not depend on those that came before.
  var treatsEachValueAlike: Bool {
    switch self {
    case .map, .mapKeyPath, .mapError, .replaceNil, .compactMap, .filter, .print, .handleEvents, .breakpoint, .coding,
      .mapToValue, .mapToVoid, .toggle, .mapMany, .filterMany, .unwrap, .receiveOn, .delay, .appendValues,
      .replaceEmpty, .replaceError, .count, .min, .max, .contains, .containsWhere, .allSatisfy, .ignoreOutput,
      .ignoreOutputAs, .catchAndReturn:
      true
    default: false
    }
  }

  var deliversTheSameForAnyDemand: Bool {
    switch self {
    case .measureInterval, .buffer(_, .byRequest, _), .share, .multicast, .makeConnectable, .shareReplay,
      .partitioned, .grouped, .windowed, .prefixDuration, .debounce, .throttle, .timeout, .collectByTime,
      .collectByTimeOrCount:
      false
    default: true
    }
  }
}
