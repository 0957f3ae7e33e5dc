import Combine
import Dispatch
import Foundation

extension AppleReactions {
  /// Demand, and the strides of `DispatchQueue`.
  static let values: [Reaction] = demand + dispatchStrides

  private static func arithmetic(
    _ situation: String, _ result: String, departure: Reaction.Departure? = nil,
    _ compute: @escaping @Sendable () -> Subscribers.Demand
  ) -> Reaction {
    Reaction("Subscribers.Demand", situation, [result], departure: departure) { $0.add("\(compute())") }
  }

  private static let saturation = Reaction.Departure(
    apples: "none", because: "the demand of a subscriber that asks for more than can be counted is not lost")

  private static let demand: [Reaction] = [
    arithmetic("max(.max) - (-1)", "unlimited", departure: saturation) { .max(.max) - -1 },
    arithmetic("max(.max) -= -1", "unlimited", departure: saturation) {
      var demand = Subscribers.Demand.max(.max)
      demand -= -1
      return demand
    },
    arithmetic("max(.max) + 1", "unlimited") { .max(.max) + 1 },
    arithmetic("max(.max) + max(1)", "unlimited") { .max(.max) + .max(1) },
    arithmetic("max(.max) * 2", "unlimited") { .max(.max) * 2 },
    arithmetic("max(42) - unlimited", "max(0)") { .max(42) - .unlimited },
    arithmetic("unlimited - unlimited", "unlimited") { .unlimited - .unlimited },
  ]

  private typealias Stride = DispatchQueue.SchedulerTimeType.Stride

  private static func stride(
    _ situation: String, _ result: String, departure: Reaction.Departure? = nil,
    _ compute: @escaping @Sendable () throws -> String
  ) -> Reaction {
    Reaction("DispatchQueue.SchedulerTimeType.Stride", situation, [result], departure: departure) { log in
      do { log.add(try compute()) } catch { log.add("\(error)") }
    }
  }

  private static let products = Reaction.Departure(
    apples: "zero", because: "zero is the product of no two lengths that are not zero themselves")

  private static let dispatchStrides: [Reaction] = [
    stride("exactly 2 as UInt64", "2000000000") { Stride(exactly: 2 as UInt64).map { "\($0.magnitude)" } ?? "nil" },
    stride("exactly UInt64.max", "nil") { Stride(exactly: UInt64.max).map { "\($0.magnitude)" } ?? "nil" },
    stride("coding", #"{"_nanoseconds":3000}"#) {
      String(decoding: try JSONEncoder().encode(Stride.microseconds(3)), as: UTF8.self)
    },
    stride("decoding", "3000") {
      "\(try JSONDecoder().decode(Stride.self, from: Data(#"{"_nanoseconds":3000}"#.utf8)).magnitude)"
    },
    stride("the product of 18 ns and 1 µs", "18000", departure: products) {
      "\((Stride.nanoseconds(18) * .microseconds(1)).magnitude)"
    },
    stride("the product of -3 µs and 10 ns", "-30000", departure: products) {
      var product = Stride.microseconds(-3)
      product *= .nanoseconds(10)
      return "\(product.magnitude)"
    },
    stride("a product that is too large", "\(Int.max)", departure: products) {
      "\((Stride.seconds(10) * .seconds(10)).magnitude)"
    },
    stride("a negative product that is too large", "\(Int.min)", departure: products) {
      "\((Stride.seconds(10) * .seconds(-10)).magnitude)"
    },
  ]
}
