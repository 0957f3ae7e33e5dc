import AsyncOperators

extension Gallery {
  func drawBuffered() {
    drawCalls(
      "bufferBounded", on: "buffer(policy:)", "AsyncBufferSequence", "AsyncBufferSequencePolicy/bounded(_:)",
      of: elements("abcdef|"), testClock(), output()
    ) { source, clock, output in
      for await letter in source.buffer(policy: .bounded(1)) {
        output(letter)
        try await clock.sleep(for: .seconds(2))
      }
      output.finish()
    }
    drawCalls(
      "bufferUnbounded", on: "AsyncBufferSequencePolicy/unbounded", of: elements("abcdef|"), testClock(), output()
    ) { source, clock, output in
      for await letter in source.buffer(policy: .unbounded) {
        output(letter)
        try await clock.sleep(for: .seconds(2))
      }
      output.finish()
    }
    drawCalls(
      "bufferLatest", on: "AsyncBufferSequencePolicy/bufferingLatest(_:)", of: elements("abcdef|"), testClock(),
      output()
    ) { source, clock, output in
      for await letter in source.buffer(policy: .bufferingLatest(1)) {
        output(letter)
        try await clock.sleep(for: .seconds(2))
      }
      output.finish()
    }
    drawCalls(
      "bufferOldest", on: "AsyncBufferSequencePolicy/bufferingOldest(_:)", of: elements("abcdef|"), testClock(),
      output()
    ) { source, clock, output in
      for await letter in source.buffer(policy: .bufferingOldest(1)) {
        output(letter)
        try await clock.sleep(for: .seconds(2))
      }
      output.finish()
    }
  }

  func drawShared() {
    draw(
      "share", on: "share(bufferingPolicy:)", "AsyncShareSequence", of: elements("-a-b-c-d-|"), iteratedFrom: [0, 4]
    ) { source in
      source.share()
    }
    draw("shareReplay", on: "share(replay:bufferingPolicy:)", of: elements("-a-b-c-d-|"), iteratedFrom: [0, 4]) {
      source in
      source.share(replay: 1)
    }
    draw(
      "multicast", on: "multicast(_:)", "AsyncMulticastSequence", "AsyncMulticastConnection",
      of: elements("-a-b-c-d-|"), iteratedFrom: [0, 4]
    ) { source in
      let shared = source.multicast(AsyncPassthroughSubject<String, Never>())
      keep(shared.connect())
      return shared
    }
    draw("autoconnect", on: "AsyncAutoconnectSequence", of: elements("-a-b-c-d-|"), iteratedFrom: [2, 6]) { source in
      source
        .multicast(AsyncPassthroughSubject<String, Never>())
        .autoconnect()
    }
  }

  func drawSubjects() {
    draw("AsyncPassthroughSubject", on: "AsyncPassthroughSubject", of: elements("-b-c-d-|"), iteratedFrom: [0, 4]) {
      source in
      let subject = AsyncPassthroughSubject<String, Never>()
      send(source, to: subject)
      return subject
    }
    draw("AsyncCurrentValueSubject", on: "AsyncCurrentValueSubject", of: elements("-b-c-d-|"), iteratedFrom: [0, 4]) {
      source in
      let subject = AsyncCurrentValueSubject<String, Never>("a")
      send(source, to: subject)
      return subject
    }
    draw("AsyncReplaySubject", on: "AsyncReplaySubject", of: elements("-b-c-d-|"), iteratedFrom: [0, 4]) { source in
      let subject = AsyncReplaySubject<String, Never>(bufferSize: 2)
      send(source, to: subject)
      return subject
    }
    drawCalls(
      "AsyncBoundedChannel", on: "AsyncBoundedChannel", of: elements("abcdef|"), testClock(), output(), output()
    ) { source, clock, sent, received in
      let (channel, producer) = AsyncBoundedChannel.makeChannel(
        of: String.self, throwing: Never.self, lowWatermark: 0, highWatermark: 2)
      async let sending: Void = {
        for await letter in source {
          try await producer.send(letter)
          sent(letter)
        }
        producer.finish()
      }()
      for await letter in channel {
        received(letter)
        try await clock.sleep(for: .seconds(2))
      }
      received.finish()
      try await sending
    }
  }
}
