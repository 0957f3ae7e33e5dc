/// Releases values that were taken out under a lock, now that no lock is held. A release may run any `deinit`, which
/// may call back into the code that takes the lock.
@inlinable
@inline(__always)
package func releaseOutsideLock<Values>(_ values: Values) {
  withExtendedLifetime(values) {}
}
