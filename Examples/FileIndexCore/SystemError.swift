import Foundation

/// An error number of the C library.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  package var number: Int32

  /// Takes the number that the last failed call left behind.
  package static var last: SystemError { SystemError(number: errno) }

  package var description: String {
    String(cString: strerror(number))
  }
}
