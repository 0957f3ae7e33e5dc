import Foundation
import InterflowTesting

/// What is fed by hand, and what passes one stream on to several subscribers.
let subjects: [VerificationRow] = [
  VerificationRow("PassthroughSubject", "", .dropping, failing: { failing(PassthroughSubject<Int, Broken>()) }) {
    feeding(PassthroughSubject<Int, Broken>(), 0..<$0)
  },
  VerificationRow(
    "CurrentValueSubject", "", .dropping.adding([.failureEndsTheStream: "the value that it has comes first"]),
    failing: { failing(CurrentValueSubject<Int, Broken>(0)) }
  ) { count in
    feeding(CurrentValueSubject<Int, Broken>(0), 1..<max(1, count))
  },
  VerificationRow("Published.Publisher", "", endless) { count in
    let model = Model()
    return PublisherUnderTest(model.$number) {
      for number in 1..<max(1, count) { model.number = number }
    } send: {
      model.number = 1
    }
  },
  VerificationRow(
    "PublishedAfterChange.Publisher", "",
    endless.adding([.sendDuringASignalWaits: "a setter returns at once, and the delivering thread publishes its value"])
  ) { count in
    let model = Weather()
    return PublisherUnderTest(model.$temperature) {
      for number in 1..<max(1, count) { model.temperature = number }
    }
  },
  VerificationRow(
    "ObservableObjectPublisher", "",
    endless.adding([.valuesNeverExceedDemand: "any request is one for every change, as Apple's is"])
  ) { count in
    let publisher = ObservableObjectPublisher()
    return PublisherUnderTest(publisher) {
      for _ in 0..<count { publisher.send() }
    } send: {
      publisher.send()
    }
  },
  VerificationRow("AsyncChannel", "", Facts(), failing: { failing() }) { count in
    let channel = AsyncChannel<Int, Broken>()
    return PublisherUnderTest(channel) {
      Task {
        for number in 0..<count { try await channel.send(number) }
        channel.send(completion: .finished)
      }
    }
  },
  VerificationRow("Publishers.Multicast", "", .dropping) { count in
    connecting((0..<count).publisher.multicast { PassthroughSubject<Int, Never>() })
  },
  VerificationRow("Publishers.Multicast", "of one subject", .dropping) { count in
    connecting((0..<count).publisher.multicast(subject: PassthroughSubject<Int, Never>()))
  },
  VerificationRow("Publishers.MakeConnectable", "", .dropping) { count in
    connecting((0..<count).publisher.makeConnectable())
  },
]

private func feeding<S: Subject<Int, Broken> & Sendable>(_ subject: S, _ numbers: Range<Int>) -> PublisherUnderTest {
  let feeding = Sending(subject)
  return PublisherUnderTest(subject) {
    for number in numbers { feeding.value.send(number) }
    feeding.value.send(completion: .finished)
  } send: {
    feeding.value.send(numbers.upperBound)
  }
}

private func failing<S: Subject<Int, Broken> & Sendable>(_ subject: S) -> PublisherUnderTest {
  let feeding = Sending(subject as any Subject<Int, Broken>)
  return PublisherUnderTest(subject) { feeding.value.send(completion: .failure(Broken())) }
}

private func failing() -> PublisherUnderTest {
  let channel = AsyncChannel<Int, Broken>()
  return PublisherUnderTest(channel) { channel.send(completion: .failure(Broken())) }
}

private func connecting<C: ConnectablePublisher>(_ publisher: C) -> PublisherUnderTest {
  let connecting = Sending { _ = publisher.connect() }
  return PublisherUnderTest(publisher) { connecting.value() }
}

private final class Weather: ObservableObject, @unchecked Sendable {  // `PublishedAfterChange` guards its value.
  @PublishedAfterChange var temperature = 0
}

private final class Model: ObservableObject, @unchecked Sendable {  // `Published` guards its value.
  @Published var number = 0
}
