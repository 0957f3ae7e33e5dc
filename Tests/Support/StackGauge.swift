/// Measures how far the stack grows between calls, to find delivery inside delivery.
package final class StackGauge {
  private var lowest = UInt.max
  private var highest = UInt.min

  package init() {}

  /// How many bytes lie between the deepest call and the shallowest.
  package var growth: UInt { highest > lowest ? highest - lowest : 0 }

  @inline(never)
  package func measure() {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) {
      let address = UInt(bitPattern: $0.baseAddress)
      lowest = Swift.min(lowest, address)
      highest = Swift.max(highest, address)
    }
  }
}
