/// Keeps values until here, where no lock is held any more: to release them may run anybody's `deinit`, which may call
/// back and want the lock that they were taken out under.
@inlinable
@inline(__always)
package func releaseOutsideLock<Values>(_ values: Values) {
  withExtendedLifetime(values) {}
}
