import CNATSReference

/// A stream over the C API alone: what the module's own figures are held against.
final class CNATSStream {
  private let name: String
  private var connection: OpaquePointer?
  private var context: OpaquePointer?

  init(_ url: String, _ name: String, inFlight: Int) {
    self.name = name
    check(natsConnection_ConnectTo(&connection, url))
    var options = jsOptions()
    check(jsOptions_Init(&options))
    options.PublishAsync.MaxPending = Int64(inFlight)
    options.PublishAsync.StallWait = 60_000
    check(natsConnection_JetStream(&context, connection, &options))
    var configuration = jsStreamConfig()
    check(jsStreamConfig_Init(&configuration))
    configuration.Storage = js_MemoryStorage
    name.withCString { name in
      configuration.Name = name
      withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: 1) { subjects in
        subjects.initialize(repeating: name)
        configuration.Subjects = subjects.baseAddress
        configuration.SubjectsLen = 1
        check(js_AddStream(nil, context, &configuration, nil, nil))
      }
    }
  }

  deinit {
    js_DeleteStream(context, name, nil, nil)
    jsCtx_Destroy(context)
    natsConnection_Destroy(connection)
  }

  private func check(_ status: natsStatus) {
    precondition(status == NATS_OK, String(cString: natsStatus_GetText(status)))
  }

  func publish(_ count: Int) {
    for number in 0..<count {
      withUnsafeBytes(of: number) {
        check(js_Publish(nil, context, name, $0.baseAddress, Int32($0.count), nil, nil))
      }
    }
  }

  func publishAsynchronously(_ count: Int) {
    for number in 0..<count {
      withUnsafeBytes(of: number) {
        check(js_PublishAsync(context, name, $0.baseAddress, Int32($0.count), nil))
      }
    }
    check(js_PublishAsyncComplete(context, nil))
  }

  /// - Parameter confirms: Whether to wait until the server has read each acknowledgement.
  func pull(_ count: Int, batch: Int, confirms: Bool) -> Int {
    var configuration = jsConsumerConfig()
    check(jsConsumerConfig_Init(&configuration))
    configuration.AckPolicy = js_AckExplicit
    "reader".withCString {
      configuration.Durable = $0
      check(js_AddConsumer(nil, context, name, &configuration, nil, nil))
    }
    var options = jsSubOptions()
    check(jsSubOptions_Init(&options))
    var subscription: OpaquePointer?
    name.withCString { name in
      "reader".withCString { durable in
        options.Stream = name
        options.Consumer = durable
        check(js_PullSubscribe(&subscription, context, name, durable, nil, &options, nil))
      }
    }
    defer { natsSubscription_Destroy(subscription) }
    var (received, sum) = (0, 0)
    while received < count {
      var list = natsMsgList()
      check(natsSubscription_Fetch(&list, subscription, Int32(batch), 5_000, nil))
      for index in 0..<Int(list.Count) {
        let message = list.Msgs[index]
        sum &+= UnsafeRawPointer(natsMsg_GetData(message)!).loadUnaligned(as: Int.self)
        check(confirms ? natsMsg_AckSync(message, nil, nil) : natsMsg_Ack(message, nil))
      }
      received += Int(list.Count)
      natsMsgList_Destroy(&list)
    }
    return sum
  }
}
