import CNATS

/// Calls that block.
extension JetStreamContext {
  /// Takes something from what the server says about a stream, which at least has settings.
  func stream<Success>(
    _ name: String, while operation: String, _ body: (jsStreamInfo, jsStreamConfig) -> Success
  ) -> Result<Success, NATSError> {
    var code = jsErrCode(0)
    var information: UnsafeMutablePointer<jsStreamInfo>?
    let status = js_GetStreamInfo(&information, pointer, name, nil, &code)
    guard status == NATS_OK, let information else {
      return .failure(NATSError(status, jetStream: code, while: operation))
    }
    defer { jsStreamInfo_Destroy(information) }
    guard let configuration = information.pointee.Config?.pointee else {
      return .failure(
        NATSError(kind: .other, operation: operation, message: "what has answered does not say what the stream is"))
    }
    return .success(body(information.pointee, configuration))
  }
}
