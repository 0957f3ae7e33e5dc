import Combine
import Interflow
import InterflowTesting

extension Gallery {
  func drawInterflow() {
    begin("Interflow")
    drawSequencesOfPublishers()
    drawStreams()
    drawTasks()
    drawPublishersOfSequences()
    drawTexts()
    drawProperties()
  }

  private func drawSequencesOfPublishers() {
    draw("asyncValues", on: "asyncValues", "AsyncValues", of: cold("-a-b--c-|")) { source in
      source.asyncValues
    }
    drawCalls(
      "asyncValuesPrefetch", on: "asyncValues(prefetch:)", of: cold("abcdef|"), testClock(), output()
    ) { source, clock, output in
      for await letter in source.asyncValues(prefetch: 2) {
        output(letter)
        try await clock.sleep(for: .seconds(2))
      }
      output.finish()
    }
    drawCalls("firstValue", on: "firstValue()", of: letters("-a-b-c-|"), output()) { source, output in
      output(await source.firstValue())
    }
    drawCalls(
      "AsyncChannel", on: "AsyncChannel", "AsyncChannel/send(_:)", of: elements("abcd|"), testClock(), output(),
      output()
    ) { source, clock, sent, received in
      let channel = AsyncChannel<String, Never>()
      async let receiving: Void = {
        for await letter in channel.asyncValues {
          received(letter)
          try await clock.sleep(for: .seconds(2))
        }
        received.finish()
      }()
      for await letter in source {
        try await channel.send(letter)
        sent(letter)
      }
      channel.send(completion: .finished)
      try await receiving
    }
    draw("AsyncTimerSequence", on: "AsyncTimerSequence", of: testClock()) { clock in
      AsyncTimerSequence(interval: .seconds(2), clock: clock).prefix(3)
    }
  }

  private func drawStreams() {
    drawCalls(
      "asyncStream", on: "asyncStream(bufferingPolicy:)", "CombineAsyncStream", "BufferingPolicy/unbounded",
      of: letters("-abcdef-|"), testClock(), output()
    ) { source, clock, output in
      for await letter in source.asyncStream(bufferingPolicy: .unbounded) {
        output(letter)
        try await clock.sleep(for: .seconds(2))
      }
      output.finish()
    }
    drawCalls(
      "asyncStreamNewest", on: "BufferingPolicy/bufferingNewest(_:)", of: letters("-abcdef-|"), testClock(), output()
    ) { source, clock, output in
      for await letter in source.asyncStream(bufferingPolicy: .bufferingNewest(1)) {
        output(letter)
        try await clock.sleep(for: .seconds(2))
      }
      output.finish()
    }
    drawCalls(
      "asyncStreamOldest", on: "BufferingPolicy/bufferingOldest(_:)", of: letters("-abcdef-|"), testClock(), output()
    ) { source, clock, output in
      for await letter in source.asyncStream(bufferingPolicy: .bufferingOldest(1)) {
        output(letter)
        try await clock.sleep(for: .seconds(2))
      }
      output.finish()
    }
  }

  private func drawTasks() {
    draw("task", on: "task(maxPublishers:buffering:priority:_:)", of: coldNumbers("-4-1-2-|"), testClock()) {
      source, clock in
      source.task(maxPublishers: .max(2)) { number in
        try? await clock.sleep(for: .seconds(number))
        return number * 10
      }
    }
    draw(
      "concurrentMap", on: "concurrentMap(maxTasks:buffering:priority:_:)", "TaskPublisher",
      of: coldNumbers("-4-1-2-|"),
      testClock()
    ) { source, clock in
      source.concurrentMap(maxTasks: 2) { number in
        try? await clock.sleep(for: .seconds(number))
        return number * 10
      }
    }
    draw(
      "sinkMaxTasks", on: "sink(maxTasks:buffering:priority:receiveValue:)",
      "sink(maxTasks:buffering:priority:receiveCompletion:receiveValue:)", of: coldNumbers("-4-1-2-|"), testClock(),
      output(), output()
    ) { source, clock, begun, done in
      source.sink(maxTasks: 2) { number in
        begun(number)
        try? await clock.sleep(for: .seconds(number))
        done(number)
      }
    }
    draw(
      "oneByOneSink", on: "oneByOneSink(priority:receiveValue:)",
      "oneByOneSink(priority:receiveCompletion:receiveValue:)", "OneByOneSink", of: cold("-a-b-c-|"), testClock(),
      output(), output()
    ) { source, clock, begun, done in
      source.oneByOneSink { letter in
        begun(letter)
        try? await clock.sleep(for: .seconds(3))
        done(letter)
      }
    }
  }

  private func drawPublishersOfSequences() {
    draw(
      "publisher", on: "AsyncSequence/publisher", "AsyncSequence/publisher(priority:)", "AsyncSequencePublisher",
      of: elements("-a-b-c-|")
    ) { source in
      source.publisher
    }
    draw("Future", on: "Future/init(priority:_:)", of: testClock(), subscribedAt: [0, 3]) { clock in
      Future<String, Never> {
        try? await clock.sleep(for: .seconds(2))
        return "a"
      }
    }
    draw("Deferred", on: "Deferred/init(priority:_:)", of: testClock(), subscribedAt: [0, 3]) { clock in
      Deferred {
        try? await clock.sleep(for: .seconds(2))
        return "a"
      }
    }
  }

  private func drawTexts() {
    draw("lines", on: "lines", "AsyncLineSequence", of: bytes("-h-i-/-/-o-k-|")) { source in
      source.lines
    }
    draw("linesKeepingEmpty", on: "lines(keepingEmpty:)", "AsyncLines", of: bytes("-h-i-/-/-o-k-|")) { source in
      source.lines(keepingEmpty: true)
    }
    draw("characters", on: "characters", "AsyncCharacterSequence", of: bytes("-h-i-|")) { source in
      source.characters
    }
    draw("unicodeScalars", on: "unicodeScalars", "AsyncUnicodeScalarSequence", of: bytes("-h-i-|")) { source in
      source.unicodeScalars
    }
  }

  private func drawProperties() {
    draw("PublishedAfterChange", on: "PublishedAfterChange", of: numbers("-1-2-3-|")) { source in
      let model = Model()
      keep(source.assign(to: \.late, on: model))
      return model.$late.map { published in (published, model.late) }
    }
    draw("changes", on: "changes(bufferingPolicy:)", of: numbers("-1-2-3-|")) { source in
      let model = Model()
      keep(source.assign(to: \.early, on: model))
      return model.changes().map { _ in "change" }
    }
  }
}

/// An object with a property of each kind.
final class Model: ObservableObject {
  @Published var early = 0
  @PublishedAfterChange var late = 0
}
