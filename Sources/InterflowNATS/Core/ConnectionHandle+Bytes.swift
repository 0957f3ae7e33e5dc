import CNATS
import Foundation

extension ConnectionHandle {
  /// Writes a message into the library's buffer, or to the socket when that is full.
  @discardableResult
  func publish(_ bytes: Data, to subject: String) -> natsStatus {
    bytes.withUnsafeBytes {
      natsConnection_Publish(pointer, subject, $0.baseAddress, Int32(clamping: $0.count))
    }
  }
}
