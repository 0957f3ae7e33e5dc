/// A value that calls a closure when it is released.
package final class ReportsRelease {
  package let number: Int
  private let onRelease: () -> Void

  package init(_ number: Int, onRelease: @escaping () -> Void = {}) {
    self.number = number
    self.onRelease = onRelease
  }

  deinit { onRelease() }
}
