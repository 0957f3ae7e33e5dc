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

extension Data {
  /// Copies the bytes of a message of the library's.
  init(messageOfLibrary message: OpaquePointer) {
    self = natsMsg_GetData(message).map { Data(bytes: $0, count: Int(natsMsg_GetDataLength(message))) } ?? Data()
  }
}
