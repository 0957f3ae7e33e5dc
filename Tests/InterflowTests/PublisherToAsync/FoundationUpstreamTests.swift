#if INTERFLOW_FOUNDATION
  import Foundation
  import Interflow
  import InterflowTestSupport
  import Testing

  /// Publishers that others drive, as upstream of the sequences.
  @Suite struct FoundationUpstreamTests {
    private final class Model: ObservableObject {
      @Published var number = 0
    }

    @Test func publishedThroughAStreamLosesNoChange() async {
      let model = Model()
      let stream = model.$number.asyncStream()
      for number in 1...5 { model.number = number }
      var values: [Int] = []
      for await value in stream {
        values.append(value)
        if value == 5 { break }
      }
      #expect(values == [0, 1, 2, 3, 4, 5])
    }

    @Test func publishedThroughValuesGivesTheLatestWhenAsked() async {
      let model = Model()
      var iterator = model.$number.asyncValues.makeAsyncIterator()
      #expect(await iterator.next() == 0)
      for number in 1...5 { model.number = number }
      #expect(await iterator.next() == 5)
    }

    @Test func timerThroughBoth() async {
      let timer = Timer.publish(every: 0.001, on: .main, in: .common).autoconnect()
      var dates: [Date] = []
      for await date in timer.asyncValues {
        dates.append(date)
        if dates.count == 3 { break }
      }
      for await date in timer.asyncStream() {
        dates.append(date)
        if dates.count == 6 { break }
      }
      #expect(dates == dates.sorted())
      #expect(dates.count == 6)
    }

    @Test func timerThatASequenceHasLeftStops() async {
      let isCancelled = Signal()
      let timer = Timer.publish(every: 0.001, on: .main, in: .common).autoconnect()
        .handleEvents(receiveCancel: { isCancelled.fire() })
      for await _ in timer.asyncValues { break }
      await isCancelled.wait()
      do {
        let stream = timer.asyncStream()
        for await _ in stream { break }
        stream.cancel()
      }
      await isCancelled.wait(2)
    }

    @Test func notificationsThroughAStreamAllArrive() async {
      let center = NotificationCenter()
      let name = Notification.Name("event")
      let stream = center.publisher(for: name).compactMap { $0.userInfo?["number"] as? Int }.asyncStream()
      for number in 0..<100 { center.post(name: name, object: nil, userInfo: ["number": number]) }
      var values: [Int] = []
      for await value in stream {
        values.append(value)
        if value == 99 { break }
      }
      #expect(values == Array(0..<100))
    }

    @Test func notificationThatIsWaitedForArrives() async {
      let center = NotificationCenter()
      let name = Notification.Name("event")
      let isAskedFor = Signal()
      let numbers = center.publisher(for: name).compactMap { $0.userInfo?["number"] as? Int }
        .handleEvents(receiveRequest: { _ in isAskedFor.fire() })
      let task = Task {
        var iterator = numbers.asyncValues.makeAsyncIterator()
        return await [iterator.next(), iterator.next()]
      }
      for number in 1...2 {
        await isAskedFor.wait(number)
        center.post(name: name, object: nil, userInfo: ["number": number])
      }
      #expect(await task.value == [1, 2])
    }
  }
#endif
