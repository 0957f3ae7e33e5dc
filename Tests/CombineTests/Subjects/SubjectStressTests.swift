import Combine
import Foundation
import InterflowTestSupport
import InterflowTesting
import Testing

/// Subjects that send to each other from several threads: nobody waits for ever, nothing is lost, and each sender's order
/// is kept.
@Suite struct SubjectStressTests {
  /// Subjects that pass on what they get to others, for so many hops.
  private func send(
    through targets: [[Int]], threads: Int, messages: Int, hops: Int, holding: Bool, _ random: inout Random
  ) {
    struct Message {
      var sender: Int
      var number: Int
      var hops: Int
    }
    let passing = targets.map { _ in PassthroughSubject<Message, Never>() }
    let values = targets.map { _ in CurrentValueSubject<Message, Never>(Message(sender: -1, number: 0, hops: 0)) }
    let received = targets.map { _ in Shared<[Message]>([]) }
    @Sendable func send(_ message: Message, to index: Int) {
      if holding { values[index].send(message) } else { passing[index].send(message) }
    }
    let cancellables = targets.indices.map { index in
      let publisher = holding ? values[index].dropFirst().eraseToAnyPublisher() : passing[index].eraseToAnyPublisher()
      return publisher.sink { message in
        received[index].update { $0.append(message) }
        guard message.hops > 0 else { return }
        for target in targets[index] {
          send(Message(sender: message.sender, number: message.number, hops: message.hops - 1), to: target)
        }
      }
    }
    let starts = (0..<threads).map { _ in Int.random(in: 0..<targets.count, using: &random) }
    inParallel(threads) { thread in
      for number in 0..<messages { send(Message(sender: thread, number: number, hops: hops), to: starts[thread]) }
    }
    var expected = Array(repeating: 0, count: targets.count)
    func count(_ index: Int, _ hops: Int) {
      expected[index] += messages
      if hops > 0 { for target in targets[index] { count(target, hops - 1) } }
    }
    for start in starts { count(start, hops) }
    for index in targets.indices {
      let all = received[index].value
      #expect(all.count == expected[index])
      for sender in 0..<threads {
        for hop in 0...hops {
          let numbers = all.filter { $0.sender == sender && $0.hops == hop }.map(\.number)
          #expect(numbers == numbers.sorted())
        }
      }
    }
    withExtendedLifetime(cancellables) {}
  }

  @Test(arguments: [false, true]) func ringsGoOn(holding: Bool) {
    for schedule in 0..<turnSchedules {
      var random = Random(UInt64(schedule))
      let count = 2 + schedule % 7
      let targets = (0..<count).map { [($0 + 1) % count] }
      send(
        through: targets, threads: 2 + schedule % 3, messages: 10, hops: count * 2, holding: holding, &random)
    }
  }

  @Test(arguments: [false, true]) func randomGraphsGoOn(holding: Bool) {
    for schedule in 0..<turnSchedules {
      var random = Random(UInt64(schedule) + 1_000_000)
      let targets = (0..<10).map { _ in
        (0..<Int.random(in: 1...2, using: &random)).map { _ in Int.random(in: 0..<10, using: &random) }
      }
      send(through: targets, threads: 3, messages: 8, hops: 3, holding: holding, &random)
    }
  }

  @Test func completionsWithinCirclesEndEverythingOnce() {
    for schedule in 0..<turnSchedules {
      let left = PassthroughSubject<Int, Never>()
      let right = PassthroughSubject<Int, Never>()
      let (atLeft, atRight) = (SerialProbe<Int, Never>(), SerialProbe<Int, Never>())
      left.subscribe(atLeft)
      right.subscribe(atRight)
      let last = schedule % 9
      let cancellables = [
        left.sink(
          receiveCompletion: { _ in right.send(completion: .finished) },
          receiveValue: { if $0 > 0 { right.send(-$0) } }),
        right.sink(
          receiveCompletion: { _ in left.send(completion: .finished) },
          receiveValue: { if $0 > 0 { left.send(-$0) } }),
      ]
      inParallel(2) { thread in
        let subject = thread == 0 ? left : right
        for number in 1...10 { subject.send(number) }
        if thread == schedule % 2 || last == 0 { subject.send(completion: .finished) }
      }
      #expect(atLeft.completions == 1 && atRight.completions == 1)
      withExtendedLifetime(cancellables) {}
    }
  }

  @Test func theValueHeldIsTheLastDeliveredInTheEnd() {
    for _ in 0..<turnSchedules {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorders = (0..<3).map { _ in RecordingSubscriber<Int, Never>() }
      for recorder in recorders { subject.subscribe(recorder) }
      inParallel(3) { thread in for number in 1...10 { subject.send(thread * 100 + number) } }
      for recorder in recorders {
        #expect(recorder.values.last == subject.value)
        #expect(recorder.values.count == 31)
      }
    }
  }
}

/// How many schedules the tests of circles run.
private let turnSchedules = ProcessInfo.processInfo.environment["INTERFLOW_TURN_SCHEDULES"].flatMap(Int.init) ?? 100
