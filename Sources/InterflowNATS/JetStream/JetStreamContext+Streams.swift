import CNATS

/// Calls that block.
extension JetStreamContext {
  /// Creates a stream, unless one with the same settings exists.
  func createStream(_ configuration: inout jsStreamConfig, while operation: String) -> Result<Void, NATSError> {
    var code = jsErrCode(0)
    var status = js_AddStream(nil, pointer, &configuration, nil, &code)
    // Servers of version 2.9 also say so of the very stream, while another connection creates it. Where it is true, they
    // say it again.
    if code == JSStreamSubjectOverlapErr { status = js_AddStream(nil, pointer, &configuration, nil, &code) }
    return status == NATS_OK ? .success(()) : .failure(NATSError(status, jetStream: code, while: operation))
  }

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
