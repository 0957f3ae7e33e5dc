import InterflowTestSupport

/// Work that runs until the test lets it go on.
final class Workshop: Sendable {
  private struct State {
    var running = 0
    var most = 0
    var started: [Int] = []
    var cancelled: [Int] = []
  }

  private let state = Shared(State())
  private let latches = Shared<[Int: Signal]>([:])
  let starts = Signal()
  let cancellations = Signal()

  var running: Int { state.value.running }
  var most: Int { state.value.most }
  var started: [Int] { state.value.started }
  var cancelled: [Int] { state.value.cancelled }

  private func latch(_ value: Int) -> Signal {
    latches.update { latches in
      if let latch = latches[value] { return latch }
      let latch = Signal()
      latches[value] = latch
      return latch
    }
  }

  func letGo(_ value: Int) { latch(value).fire() }

  func work(_ value: Int) async -> Int {
    state.update {
      $0.running += 1
      $0.most = max($0.most, $0.running)
      $0.started.append(value)
    }
    starts.fire()
    let latch = latch(value)
    await withTaskCancellationHandler {
      await latch.wait()
    } onCancel: {
      state.update { $0.cancelled.append(value) }
      cancellations.fire()
      latch.fire()
    }
    state.update { $0.running -= 1 }
    return value
  }
}
