import InterflowPrimitives

/// Objects that the library's reports find by a number, instead of a reference that could be released before the last
/// report: errors may follow the report that a connection is closed, or the failure to make one.
///
/// `@unchecked Sendable`: `lock` guards the variables.
final class NumberedObjects<Object: AnyObject & Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private var all: [UInt: Object] = [:]
  private var last: UInt = 0

  /// Adds an object, and retains it until it is removed.
  ///
  /// - Returns: Its number, which no other object ever has.
  func add(_ object: Object) -> UInt {
    lock.lock()
    defer { lock.unlock() }
    last += 1
    all[last] = object
    return last
  }

  func remove(_ number: UInt) {
    lock.lock()
    let removed = all.removeValue(forKey: number)
    lock.unlock()
    releaseOutsideLock(removed)
  }

  /// The object, unless it has been removed.
  subscript(number: UInt) -> Object? {
    lock.lock()
    defer { lock.unlock() }
    return all[number]
  }
}
