import Foundation

/// An error number of the C library.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  package var number: Int32

  /// The error of the last failed call, from `errno`.
  package static var last: SystemError { SystemError(number: errno) }

  package var description: String {
    String(cString: strerror(number))
  }
}
