import Foundation
import InterflowTestSupport

/// What a server of version 2.9 answers to requests of this module, with changes.
enum ServerAnswers {
  private static let stream = """
    {"type":"io.nats.jetstream.api.v1.stream_info_response","total":0,"offset":0,"limit":0,"config":{"name":"NUMBERS",\
    "subjects":["numbers","numbers.>"],"retention":"limits","max_consumers":-1,"max_msgs":-1,"max_bytes":-1,\
    "max_age":0,"max_msgs_per_subject":-1,"max_msg_size":-1,"discard":"old","storage":"file","num_replicas":1,\
    "duplicate_window":120000000000,"allow_direct":true,"mirror_direct":false,"sealed":false,"deny_delete":false,\
    "deny_purge":false,"allow_rollup_hdrs":false,"placement":{"cluster":"tests","tags":["a"]},"sources":[{"name":"A",\
    "opt_start_seq":1,"opt_start_time":"2026-11-25T15:00:00.123456789Z","external":{"api":"a","deliver":"b"}}],\
    "republish":{"src":"a","dest":"b"}},"created":"2026-11-25T15:00:00.123456789Z","state":{"messages":3,"bytes":120,\
    "first_seq":1,"first_ts":"2026-11-25T15:00:00.1Z","last_seq":3,"last_ts":"2026-11-25T15:00:00Z",\
    "consumer_count":1,"deleted":[2],"num_deleted":1,"num_subjects":1,"subjects":{"numbers":3},"lost":{"msgs":[7],\
    "bytes":9}},"cluster":{"name":"tests","leader":"server0","replicas":[{"name":"server1","current":true,\
    "active":1000000,"lag":1}]},"sources":[{"name":"A","lag":1,"active":5,"error":{"code":1,"err_code":2,\
    "description":"a"}}],"alternates":[{"name":"A","cluster":"a","domain":"b"}],"did_create":true}
    """
  private static let consumer = """
    {"type":"io.nats.jetstream.api.v1.consumer_create_response","stream_name":"NUMBERS","name":"reader",\
    "created":"2026-11-25T15:00:00.123456789Z","config":{"durable_name":"reader","deliver_policy":"all",\
    "opt_start_time":"2026-11-25T15:00:00Z","ack_policy":"explicit","ack_wait":30000000000,"max_deliver":-1,\
    "backoff":[1,2],"replay_policy":"instant","max_waiting":512,"max_ack_pending":1000,"sample_freq":"100%",\
    "num_replicas":0},"delivered":{"consumer_seq":3,"stream_seq":3,"last_active":"2026-11-25T15:00:00Z"},\
    "ack_floor":{"consumer_seq":1,"stream_seq":1},"num_ack_pending":2,"num_redelivered":1,"num_waiting":0,\
    "num_pending":4,"cluster":{"name":"tests","leader":"server0"},"push_bound":true}
    """
  private static let message = """
    {"type":"io.nats.jetstream.api.v1.stream_msg_get_response","message":{"subject":"$KV.bucket.key","seq":3,\
    "hdrs":"TkFUUy8xLjANCktWLU9wZXJhdGlvbjogREVMDQoNCg==","data":"MQ==","time":"2026-11-25T15:00:00.123456789Z"}}
    """
  private static let failure =
    #"{"error":{"code":404,"err_code":10059,"description":"stream not found"},"type":"a","stream":"NUMBERS","seq":0}"#
  private static let headers = "NATS/1.0\r\nNats-Msg-Id: 9E0B.12\r\nKV-Operation: PUT\r\nNats-Sequence: 3\r\n\r\n"
  private static let statuses = [
    "NATS/1.0 404 No Messages\r\n\r\n", "NATS/1.0 408 Request Timeout\r\nNats-Pending-Messages: 3\r\n\r\n",
    "NATS/1.0 409 Consumer Deleted\r\n\r\n", "NATS/1.0 409 Exceeded MaxRequestBatch of 2\r\n\r\n",
    "NATS/1.0 503\r\n\r\n",
  ]

  /// Answers to a request.
  static func to(_ request: FakeServer.Request, _ random: inout Random) -> [FakeServer.Answer] {
    let subject = request.subject
    func has(_ text: String) -> Bool { subject.hasPrefix("$JS.API.\(text)") }
    if Int.random(in: 0..<12, using: &random) == 0 { return [answer(failure, &random)] }
    if has("CONSUMER.MSG.NEXT") {
      return fetched(consumer: subject.split(separator: ".").last.map(String.init) ?? "", &random)
    }
    if has("CONSUMER.CREATE") { return [answer(consumer, &random)] + watched(request, &random) }
    if has("CONSUMER.DELETE") || has("STREAM.DELETE") || has("STREAM.PURGE") || has("STREAM.MSG.DELETE") {
      return [answer(#"{"type":"a","success":true,"purged":3}"#, &random)]
    }
    if has("CONSUMER") { return [answer(consumer, &random)] }
    if has("STREAM.MSG.GET") { return [answer(message, &random)] }
    if has("STREAM") { return [answer(stream, &random)] }
    if request.reply == nil { return [] }
    return [answer(#"{"stream":"NUMBERS","domain":"hub","seq":4,"duplicate":true}"#, &random)]
  }

  private static func answer(_ text: String, _ random: inout Random) -> FakeServer.Answer {
    let isStatus = Int.random(in: 0..<20, using: &random) == 0
    return FakeServer.Answer(
      changed(text, &random), headers: isStatus ? statuses.randomElement(using: &random) : nil)
  }

  /// - Parameter consumer: The name of the consumer, of which some only take what has their name.
  private static func fetched(consumer: String, _ random: inout Random) -> [FakeServer.Answer] {
    (0..<Int.random(in: 0..<4, using: &random)).map { number in
      if Int.random(in: 0..<3, using: &random) == 0 {
        let status = statuses.randomElement(using: &random) ?? ""
        return FakeServer.Answer("", headers: text(changed(status, &random)))
      }
      let reply = "$JS.ACK.NUMBERS.\(consumer).1.\(number + 1).\(number + 1).1764082800000000000.2"
      return FakeServer.Answer(
        changed("1", &random), headers: text(changed(headers, &random)), reply: word(changed(reply, &random)),
        subject: word(changed("numbers.one", &random)))
    }
  }

  /// What a consumer of a bucket is sent.
  private static func watched(_ request: FakeServer.Request, _ random: inout Random) -> [FakeServer.Answer] {
    struct Creation: Decodable {
      struct Configuration: Decodable { let deliver_subject: String }
      let config: Configuration
    }
    guard let target = try? JSONDecoder().decode(Creation.self, from: request.bytes).config.deliver_subject else {
      return []
    }
    let entries = (1...3).map { number in
      FakeServer.Answer(
        changed("\(number)", &random), headers: text(changed(headers, &random)),
        reply: word(changed("$JS.ACK.KV_bucket.a.1.\(number).\(number).1764082800000000000.\(3 - number)", &random)),
        target: target, subject: word(changed("$KV.bucket.key", &random)))
    }
    let heartbeat = "NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 3\r\nNats-Last-Stream: 3\r\n\r\n"
    return entries + [FakeServer.Answer("", headers: text(changed(heartbeat, &random)), target: target)]
  }

  private static func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

  /// A text that a line of the protocol can contain.
  private static func word(_ data: Data) -> String {
    let bytes = data.filter { (0x21...0x7e).contains($0) }.prefix(2_000)
    return bytes.isEmpty ? "a" : String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Changes

  private static let numbers = [
    "0", "-1", "1", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "-9223372036854775808", "99999999999999999999999999", "1e999", "0.5", "",
  ]
  private static let values = ["null", "{}", "[]", "\"\"", "true", "[null]", "\"\\u0000\"", "{\"a\":[{}]}"]

  /// Real text with none to three changes.
  static func changed(_ text: String, _ random: inout Random) -> Data {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 0..<4, using: &random) { change(&bytes, &random) }
    return Data(bytes)
  }

  private static func change(_ bytes: inout [UInt8], _ random: inout Random) {
    if bytes.isEmpty { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 1..<40, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes.removeSubrange(place..<end)
    case 1: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
    case 2: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
    case 3: bytes.removeSubrange(place...)
    case 4: replace(&bytes, from: place, values.randomElement(using: &random) ?? "") { $0 != UInt8(ascii: ",") }
    case 5: bytes.insert(contentsOf: Array(repeating: UInt8(ascii: "["), count: 2_000), at: place)
    default:
      // The next number.
      let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard let digit = bytes[place...].firstIndex(where: isDigit) else { return }
      replace(&bytes, from: digit, numbers.randomElement(using: &random) ?? "", isDigit)
    }
  }

  private static func replace(
    _ bytes: inout [UInt8], from place: Int, _ text: String, _ isReplaced: (UInt8) -> Bool
  ) {
    let end = bytes[place...].firstIndex { !isReplaced($0) } ?? bytes.count
    bytes.replaceSubrange(place..<end, with: text.utf8)
  }
}
