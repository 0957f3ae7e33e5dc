/// Extends the lifetime of values up to this call, which is made without a lock: releasing them may run a foreign
/// `deinit`, which may need the lock under which they were taken out.
@inlinable
@inline(__always)
package func releaseOutsideLock<Values>(_ values: Values) {
  withExtendedLifetime(values) {}
}
