/// The way of two values through a stream, of which one comes again.
enum StreamPicture {
  static let diagram = SequencePicture(
    module: "InterflowNATS", name: "stream-redelivery", title: "Values on their way through a stream",
    description: """
      Sequence diagram. A sender sends value 1 with an identifier, and the stream answers that it is stored. The sender \
      sends it again with the same identifier, and the stream answers that it is a duplicate. Billing on machine A \
      requests one value, receives value 1, and acknowledges it. The sender sends value 2. Billing on machine A requests \
      one value, receives value 2, and is killed. Billing on machine B requests one value. When the acknowledgement wait \
      is over, machine B receives value 2 as delivery 2, and acknowledges it.
      """,
    participants: [
      .init(name: "sender", detail: "send(_:id:)"),
      .init(name: "stream ORDERS", detail: "on the servers"),
      .init(name: "billing", detail: "machine A"),
      .init(name: "billing", detail: "machine B"),
    ],
    steps: [
      .message(from: 0, to: 1, "id: \"a\"", value: 1),
      .holds(1, value: 1),
      .message(from: 1, to: 0, "stored", isAnswer: true),
      .message(from: 0, to: 1, "id: \"a\"", value: 1),
      .message(from: 1, to: 0, "duplicate", isAnswer: true),
      .message(from: 2, to: 1, "demand: 1"),
      .message(from: 1, to: 2, "delivery 1", value: 1, isAnswer: true),
      .message(from: 2, to: 1, "ack"),
      .releases(1, value: 1),
      .message(from: 0, to: 1, "id: \"b\"", value: 2),
      .holds(1, value: 2),
      .message(from: 1, to: 0, "stored", isAnswer: true),
      .message(from: 2, to: 1, "demand: 1"),
      .message(from: 1, to: 2, "delivery 1", value: 2, isAnswer: true),
      .killed(2, "killed"),
      .message(from: 3, to: 1, "demand: 1"),
      .waited(1, "acknowledgementWait"),
      .message(from: 1, to: 3, "delivery 2", value: 2, isAnswer: true),
      .message(from: 3, to: 1, "ack"),
      .releases(1, value: 2),
    ],
    legend: "stored, and not acknowledged by “billing”")
}

/// Jobs on three machines, of which one is killed.
enum WorkPicture {
  static let diagram = LanePicture(
    module: "InterflowNATS", name: "work-distribution", title: "Work spread over machines",
    description: """
      Diagram of jobs on machines. Five values become jobs. Machine A works on 1 and 4, machine B on 2, and machine C \
      on 3 and 5. Machine B is killed while it works on 2. When the acknowledgement wait is over, machine A works on 2. \
      The results are delivered as they come, each once: those of 1, 3, 4, 5 and 2.
      """,
    code: "values.distribute(over: work, maxJobs: 16)",
    input: ("values", (1...5).map { .init(time: ($0 - 1) * 5, text: "\($0)", value: $0) }),
    lanes: [
      .init(
        name: "machine A",
        jobs: [
          .init(value: 1, start: 3, end: 18), .init(value: 4, start: 20, end: 38), .init(value: 2, start: 52, end: 68),
        ]),
      .init(name: "machine B", jobs: [.init(value: 2, start: 8, end: 17, isKilled: true)]),
      .init(name: "machine C", jobs: [.init(value: 3, start: 13, end: 30), .init(value: 5, start: 32, end: 46)]),
    ],
    move: .init(from: 1, to: 0, start: 17, end: 56, reason: "acknowledgementWait"),
    output: (
      "results",
      [(1, 20), (3, 32), (4, 40), (5, 48), (2, 70)].map { .init(time: $1, text: "r\($0)", value: $0) }, 75
    ))
}
