import Foundation

/// Texts in C's form.
enum CStrings {
  /// Calls a closure with an array of C's, which lives as long as the closure runs.
  static func with<Success>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?, Int32) -> Success
  ) -> Success {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var pointers = copies.map { UnsafePointer<CChar>($0) }
    return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress, Int32(clamping: $0.count)) }
  }
}
