public import Dispatch
import InterflowPrimitives

extension DispatchQueue: Scheduler {
  /// A point in the time of a `DispatchQueue`: nanoseconds of uptime.
  public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
    /// The point as dispatch knows it.
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

    /// The length of time from here to another point, exact to the nanosecond.
    public func distance(to other: SchedulerTimeType) -> Stride {
      let (start, end) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
      return end >= start
        ? Stride(nanoseconds: Int(clamping: end - start))
        : Stride(nanoseconds: -Int(clamping: start - end))
    }

    /// The point that lies a length of time from here, exact to the nanosecond; the distant future where that is too
    /// far away for dispatch, and from the distant future on.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      let start = dispatchTime.uptimeNanoseconds
      // Dispatch takes a number with the highest bit for a time of another clock, most of whose times have passed.
      guard let start = Int(exactly: start) else { return SchedulerTimeType(.distantFuture) }
      let (sum, overflow) = start.addingReportingOverflow(n.magnitude)
      // Zero and less would be the present to dispatch.
      return SchedulerTimeType(
        overflow ? .distantFuture : DispatchTime(uptimeNanoseconds: UInt64(Swift.max(1, sum))))
    }

    /// A length of time, in whole nanoseconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
      ExpressibleByFloatLiteral,
      Codable, Hashable, Sendable
    {
      /// The length as its number of nanoseconds.
      public var magnitude: Int

      /// The length as dispatch knows it.
      public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

      init(nanoseconds: Int) {
        magnitude = nanoseconds
      }

      /// Makes a length from dispatch's own; `.never` is the longest there is.
      public init(_ timeInterval: DispatchTimeInterval) {
        magnitude = timeInterval.clampedNanoseconds
      }

      /// Makes a length from seconds.
      public init(floatLiteral value: Double) {
        self = .seconds(value)
      }

      /// Makes a length from seconds.
      public init(integerLiteral value: Int) {
        self = .seconds(value)
      }

      private enum CodingKeys: String, CodingKey {
        case magnitude = "_nanoseconds"
      }

      /// Makes a length from a number of seconds, as an integer literal does, if it can be represented.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let seconds = Int(exactly: source) else { return nil }
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return nil }
        self.init(nanoseconds: nanoseconds)
      }

      /// The product of two lengths' numbers of nanoseconds; the longest length there is, or the most negative, where
      /// that is too large.
      ///
      /// Apple's is zero for many pairs of lengths.
      public static func * (lhs: Stride, rhs: Stride) -> Stride {
        Stride(nanoseconds: lhs.magnitude.multipliedClamping(by: rhs.magnitude))
      }

      /// Multiplies a length.
      public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

      /// The sum of two lengths.
      public static func + (lhs: Stride, rhs: Stride) -> Stride {
        Stride(nanoseconds: lhs.magnitude + rhs.magnitude)
      }

      /// Adds to a length.
      public static func += (lhs: inout Stride, rhs: Stride) { lhs = lhs + rhs }

      /// The difference of two lengths.
      public static func - (lhs: Stride, rhs: Stride) -> Stride {
        Stride(nanoseconds: lhs.magnitude - rhs.magnitude)
      }

      /// Takes from a length.
      public static func -= (lhs: inout Stride, rhs: Stride) { lhs = lhs - rhs }

      /// Whether one length is shorter than another.
      public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

      /// A length of whole seconds; the longest there is where that is too long.
      public static func seconds(_ s: Int) -> Stride { Stride(.seconds(s)) }

      /// A length of seconds, to the nanosecond.
      public static func seconds(_ s: Double) -> Stride {
        Stride(nanoseconds: (s * 1_000_000_000).clampedToInt)
      }

      /// A length of milliseconds.
      public static func milliseconds(_ ms: Int) -> Stride { Stride(.milliseconds(ms)) }

      /// A length of microseconds.
      public static func microseconds(_ us: Int) -> Stride { Stride(.microseconds(us)) }

      /// A length of nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }
    }
  }

  /// How a closure is to be run.
  public struct SchedulerOptions {
    /// The quality of service.
    public var qos: DispatchQoS
    /// How dispatch treats the closure.
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

  /// The present, as the queue's clock has it.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// Zero: a queue is as exact as the system is.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs a closure on the queue as soon as possible.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    // The scheduler's contract transfers the closure: it runs once, here, and the caller keeps nothing of it.
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
    // A group is entered by hand, since dispatch has no delayed form that takes one.
    options.group?.enter()
    let group = UncheckedTransfer(options.group)
    asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags) {
      action.value()
      group.value?.leave()
    }
  }

  /// Runs a closure on the queue after a date, and then again at an interval.
  ///
  /// - Returns: What ends the repetition when it is cancelled or deallocated.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let action = UncheckedTransfer(action)
    let options = options ?? SchedulerOptions()
    let source = DispatchSource.makeTimerSource(queue: self)
    source.schedule(
      deadline: date.dispatchTime, repeating: interval.timeInterval,
      leeway: Swift.max(tolerance, minimumTolerance).timeInterval)
    source.setEventHandler(qos: options.qos, flags: options.flags) { action.value() }
    source.resume()
    return AnyCancellable { source.cancel() }
  }
}

extension DispatchQueue: ReusesWorkItems {
  // Dispatch needs a block, which is made of a closure anew each time that one is passed; a block is only retained.
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
