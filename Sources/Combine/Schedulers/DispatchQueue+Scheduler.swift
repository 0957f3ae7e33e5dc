public import Dispatch
import InterflowPrimitives

extension DispatchQueue: Scheduler {
  /// A point in time for a `DispatchQueue`: nanoseconds of uptime.
  public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
    /// The point as a `DispatchTime`.
    public var dispatchTime: DispatchTime

    /// Makes a point in time.
    public init(_ time: DispatchTime) {
      dispatchTime = time
    }

    /// Reads the point from a single number of nanoseconds.
    public init(from decoder: any Decoder) throws {
      let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
      self.init(DispatchTime(uptimeNanoseconds: nanoseconds))
    }

    /// Writes the point as a single number of nanoseconds.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(dispatchTime.uptimeNanoseconds)
    }

    /// Hashes the nanoseconds.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(dispatchTime.rawValue)
    }

    /// The time interval from this point to another, exact to the nanosecond.
    public func distance(to other: SchedulerTimeType) -> Stride {
      let (start, end) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
      return end >= start
        ? Stride(nanoseconds: Int(clamping: end - start))
        : Stride(nanoseconds: -Int(clamping: start - end))
    }

    /// The point at an interval from this one, exact to the nanosecond; the distant future if dispatch cannot represent
    /// the result, or if this point is the distant future.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      let start = dispatchTime.uptimeNanoseconds
      // To dispatch, a number with the highest bit set is a time of another clock, most likely in the past.
      guard let start = Int(exactly: start) else { return SchedulerTimeType(.distantFuture) }
      let (sum, overflow) = start.addingReportingOverflow(n.magnitude)
      // To dispatch, zero means the present.
      return SchedulerTimeType(
        overflow ? .distantFuture : DispatchTime(uptimeNanoseconds: UInt64(Swift.max(1, sum))))
    }

    /// A time interval, in whole nanoseconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
      ExpressibleByFloatLiteral,
      Codable, Hashable, Sendable
    {
      /// The number of nanoseconds.
      public var magnitude: Int

      /// The interval as a `DispatchTimeInterval`.
      public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

      init(nanoseconds: Int) {
        magnitude = nanoseconds
      }

      /// The interval of a repetition: 100 microseconds if this is not positive, which dispatch does not accept.
      var positive: Stride { magnitude > 0 ? self : .microseconds(100) }

      /// Makes an interval from a `DispatchTimeInterval`; `.never` becomes the longest interval.
      public init(_ timeInterval: DispatchTimeInterval) {
        magnitude = timeInterval.clampedNanoseconds
      }

      /// Makes an interval from seconds.
      public init(floatLiteral value: Double) {
        self = .seconds(value)
      }

      /// Makes an interval from seconds.
      public init(integerLiteral value: Int) {
        self = .seconds(value)
      }

      private enum CodingKeys: String, CodingKey {
        case magnitude = "_nanoseconds"
      }

      /// Makes an interval from a number of seconds, as an integer literal does, if it can be represented.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let seconds = Int(exactly: source) else { return nil }
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return nil }
        self.init(nanoseconds: nanoseconds)
      }

      /// The product of two intervals' numbers of nanoseconds, clamped to the longest or the most negative interval.
      ///
      /// Apple's is zero for many pairs of intervals.
      public static func * (lhs: Stride, rhs: Stride) -> Stride {
        Stride(nanoseconds: lhs.magnitude.multipliedClamping(by: rhs.magnitude))
      }

      /// Multiplies an interval.
      public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

      /// The sum of two intervals.
      public static func + (lhs: Stride, rhs: Stride) -> Stride {
        Stride(nanoseconds: lhs.magnitude + rhs.magnitude)
      }

      /// Adds to an interval.
      public static func += (lhs: inout Stride, rhs: Stride) { lhs = lhs + rhs }

      /// The difference of two intervals.
      public static func - (lhs: Stride, rhs: Stride) -> Stride {
        Stride(nanoseconds: lhs.magnitude - rhs.magnitude)
      }

      /// Subtracts from an interval.
      public static func -= (lhs: inout Stride, rhs: Stride) { lhs = lhs - rhs }

      /// Whether one interval is shorter than another.
      public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

      /// An interval of whole seconds, clamped to the longest interval.
      public static func seconds(_ s: Int) -> Stride { Stride(.seconds(s)) }

      /// An interval of seconds, rounded to the nanosecond.
      public static func seconds(_ s: Double) -> Stride {
        Stride(nanoseconds: (s * 1_000_000_000).clampedToInt)
      }

      /// An interval of milliseconds.
      public static func milliseconds(_ ms: Int) -> Stride { Stride(.milliseconds(ms)) }

      /// An interval of microseconds.
      public static func microseconds(_ us: Int) -> Stride { Stride(.microseconds(us)) }

      /// An interval of nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }
    }
  }

  /// Options for the execution of a closure.
  public struct SchedulerOptions {
    /// The quality of service.
    public var qos: DispatchQoS
    /// The flags of the work item.
    public var flags: DispatchWorkItemFlags
    /// The group that the closure belongs to.
    public var group: DispatchGroup?

    /// Makes options.
    public init(
      qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
      group: DispatchGroup? = nil
    ) {
      self.qos = qos
      self.flags = flags
      self.group = group
    }
  }

  /// The current time of the queue's clock.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// Zero: the queue adds no tolerance of its own.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs a closure on the queue as soon as possible.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    // The scheduler's contract transfers the closure: it runs once, here, and the caller does not use it again.
    let action = UncheckedTransfer(action)
    let options = options ?? SchedulerOptions()
    async(group: options.group, qos: options.qos, flags: options.flags) { action.value() }
  }

  /// Runs a closure on the queue after a date.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let action = UncheckedTransfer(action)
    let options = options ?? SchedulerOptions()
    // The group is entered explicitly, since `asyncAfter` takes none.
    options.group?.enter()
    let group = UncheckedTransfer(options.group)
    asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags) {
      action.value()
      group.value?.leave()
    }
  }

  /// Runs a closure on the queue after a date, and then repeatedly at an interval; an interval that is not positive
  /// behaves as 100 microseconds.
  ///
  /// - Returns: A cancellable that ends the repetition, also when it is deallocated.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let action = UncheckedTransfer(action)
    let options = options ?? SchedulerOptions()
    let source = DispatchSource.makeTimerSource(queue: self)
    source.schedule(
      deadline: date.dispatchTime, repeating: interval.positive.timeInterval,
      leeway: Swift.max(tolerance, minimumTolerance).timeInterval)
    source.setEventHandler(qos: options.qos, flags: options.flags) { action.value() }
    source.resume()
    return AnyCancellable { source.cancel() }
  }
}

extension DispatchQueue: ReusesWorkItems {
  // Dispatch needs a block. A closure is converted to a new block each time that it is passed; a block is only
  // retained.
  @usableFromInline
  func reusing(_ action: @escaping () -> Void) -> () -> Void {
    let action = UncheckedTransfer(action)
    let block: @Sendable @convention(block) () -> Void = { action.value() }
    return { self.async(execute: block) }
  }
}

extension DispatchTimeInterval {
  fileprivate var clampedNanoseconds: Int {
    switch self {
    case .seconds(let s): s.multipliedClamping(by: 1_000_000_000)
    case .milliseconds(let ms): ms.multipliedClamping(by: 1_000_000)
    case .microseconds(let us): us.multipliedClamping(by: 1_000)
    case .nanoseconds(let ns): ns
    case .never: .max
    @unknown default: .max
    }
  }
}

extension Int {
  fileprivate func multipliedClamping(by factor: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? ((self < 0) != (factor < 0) ? .min : .max) : product
  }
}

extension Double {
  fileprivate var clampedToInt: Int {
    self >= Double(Int.max) ? .max : self <= Double(Int.min) ? .min : Int(self.rounded())
  }
}
