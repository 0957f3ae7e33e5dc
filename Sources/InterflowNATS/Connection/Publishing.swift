import CNATS
import Foundation

extension ConnectionHandle {
  /// Writes a message into the library's buffer, or to the socket when that is full.
  @discardableResult
  func publish(_ bytes: Data, to subject: String, reply: String? = nil, headers: NATSHeaders = [:]) -> natsStatus {
    var headers = headers
    guard let sending = trace?.sending(to: subject, &headers) else {
      return publishNow(bytes, to: subject, reply: reply, headers: headers)
    }
    let status = publishNow(bytes, to: subject, reply: reply, headers: headers)
    sending.ended(status == NATS_OK ? nil : NATSError(status, while: "sending to “\(subject)”"))
    return status
  }

  private func publishNow(_ bytes: Data, to subject: String, reply: String?, headers: NATSHeaders) -> natsStatus {
    if reply == nil, headers.isEmpty {
      return bytes.withUnsafeBytes {
        natsConnection_Publish(pointer, subject, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
    var message: OpaquePointer?
    var status = bytes.withUnsafeBytes {
      natsMsg_Create(&message, subject, reply, $0.bindMemory(to: CChar.self).baseAddress, Int32(clamping: $0.count))
    }
    defer { natsMsg_Destroy(message) }
    if status == NATS_OK { status = headers.add(toMessageOfLibrary: message) }
    return status == NATS_OK ? natsConnection_PublishMsg(pointer, message) : status
  }

  /// Writes a text into the library's buffer.
  func publish(_ text: String, to subject: String, reply: String?) {
    if let reply {
      natsConnection_PublishRequestString(pointer, subject, reply, text)
    } else {
      natsConnection_PublishString(pointer, subject, text)
    }
  }
}

extension Data {
  /// Copies the bytes of a message of the library's.
  init(messageOfLibrary message: OpaquePointer) {
    self = natsMsg_GetData(message).map { Data(bytes: $0, count: Int(natsMsg_GetDataLength(message))) } ?? Data()
  }
}

extension NATSHeaders {
  /// Copies the headers of a message of the library's, which one thread at a time may do.
  init(messageOfLibrary message: OpaquePointer) {
    self.init()
    for name in Self.texts({ natsMsgHeader_Keys(message, $0, $1) }) {
      for value in Self.texts({ natsMsgHeader_Values(message, name, $0, $1) }) { add(value, to: name) }
    }
  }

  /// Copies texts that the library has, in an array that the caller has to release.
  private static func texts(
    _ call: (UnsafeMutablePointer<UnsafeMutablePointer<UnsafePointer<CChar>?>?>, UnsafeMutablePointer<Int32>) ->
      natsStatus
  ) -> [String] {
    var texts: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    var count: Int32 = 0
    guard call(&texts, &count) == NATS_OK, let texts else { return [] }
    defer { free(texts) }
    return (0..<Int(count)).compactMap { index in texts[index].map { String(cString: $0) } }
  }

  /// Puts the headers into a message of the library's.
  func add(toMessageOfLibrary message: OpaquePointer?) -> natsStatus {
    for (name, value) in self {
      let status = natsMsgHeader_Add(message, name, value)
      if status != NATS_OK { return status }
    }
    return NATS_OK
  }
}
