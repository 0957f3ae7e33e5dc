import Interflow
import InterflowTestSupport
import Testing

/// `AsyncChannel`: several senders, several subscribers, sends that are cancelled, and a completion that may come early.
@Suite struct ChannelStressTests {
  private typealias Channel = AsyncChannel<Item, TestError>

  /// What has become of the values that were sent.
  private struct Sent {
    var delivered: Set<Item.Origin> = []
    var cancelled: Set<Item.Origin> = []
    var refused: Set<Item.Origin> = []
  }

  @Test(arguments: StressKind.allCases) func channel(_ kind: StressKind) async {
    await stress("AsyncChannel", kind) { world in
      let participant = world.participant("world")
      let channel = Channel()
      let sent = Shared(Sent())
      let stayers = participant.number(0...2)
      let leavers = participant.number((stayers == 0 ? 1 : 0)...2)
      let completesEarly = participant.once(in: 3)

      let probes = (0..<stayers).map { index in
        let probe = Probe<Item, TestError>(world, "stayer \(index)") { $0.origin }
        channel.subscribe(probe)
        world.spawn("asker \(index)") { participant in
          for _ in 0..<participant.number(0...3) {
            probe.request(.max(participant.number(1...2)))
            await participant.pause()
          }
          probe.request(.unlimited)
        }
        return probe
      }
      let leaving = (0..<leavers).map { Self.spawnLeaver($0, channel, world) }
      let senders = (0..<participant.number(1...3)).map { sender in
        Self.spawnSender(sender, channel, sent, world, cancelsOne: participant.once(in: 3))
      }
      world.spawn("closer") { participant in
        if completesEarly {
          participant.note("completes early")
          channel.send(completion: .failure(TestError("early")))
        }
        for leaver in leaving { await leaver.value }
        // With nobody left who takes values, a sender would wait for ever.
        if stayers == 0 { for sender in senders { sender.cancel() } }
        for sender in senders { await sender.value }
        participant.note("completes")
        channel.send(completion: .finished)
        do {
          try await channel.send(world.item(0, from: 99))
          world.fail("a value was taken after the completion")
        } catch {
          world.check(error as? AsyncChannelError == .finished || Task.isCancelled, "\(error) after the completion")
        }
      }

      world.settles { probes.allSatisfy { !$0.completions.isEmpty } }
      world.atEnd {
        let sent = sent.value
        for probe in probes {
          let origins = probe.origins
          world.check(Set(origins) == sent.delivered, "\(origins) came out, \(sent.delivered) went in")
          world.check(Set(origins).count == origins.count, "a value came twice: \(origins)")
          for sender in 0..<senders.count {
            world.check(
              origins.filter { $0.sender == sender }.map(\.number).isAscending, "out of order: \(origins)")
          }
          world.check(origins == probes[0].origins, "two subscribers saw \(origins) and \(probes[0].origins)")
          world.check(probe.completions.count == 1, "there are \(probe.completions.count) ends")
          world.check(probe.hasFinished != completesEarly, "it is the wrong end")
        }
        let isSent = sent.delivered.isDisjoint(with: sent.cancelled) && sent.delivered.isDisjoint(with: sent.refused)
        world.check(isSent, "a value was delivered and was not: \(sent)")
        if !completesEarly { world.check(sent.refused.isEmpty, "\(sent.refused) were refused") }
      }
    }
  }

  /// A task that sends a few values, some of them in tasks of their own that are cancelled.
  private static func spawnSender(
    _ sender: Int, _ channel: Channel, _ sent: Shared<Sent>, _ world: World, cancelsOne: Bool
  ) -> Task<Void, Never> {
    world.spawn("sender \(sender)") { participant in
      for number in 0..<participant.number(1...4) {
        let origin = Item.Origin(sender: sender, number: number)
        let isRisky = cancelsOne && participant.once(in: 2)
        let send: @Sendable () async -> Void = {
          do {
            participant.note("sends", number)
            try await channel.send(world.item(number, from: sender))
            participant.note("has sent", number)
            sent.update { _ = $0.delivered.insert(origin) }
          } catch is CancellationError {
            participant.note("is cancelled", number)
            world.check(Task.isCancelled, "a send was cancelled, and its task was not")
            sent.update { _ = $0.cancelled.insert(origin) }
          } catch {
            participant.note("is refused", number)
            world.check(error as? AsyncChannelError == .finished, "\(error)")
            sent.update { _ = $0.refused.insert(origin) }
          }
        }
        if isRisky {
          await withTaskGroup(of: Void.self) { group in
            group.addTask(operation: send)
            await participant.pause()
            participant.note("cancels", number)
            group.cancelAll()
          }
        } else {
          await send()
        }
        await participant.pause()
      }
    }
  }

  /// A member that comes when it likes and goes before the end, without waiting for anything that may not come.
  private static func spawnLeaver(_ index: Int, _ channel: Channel, _ world: World) -> Task<Void, Never> {
    world.spawn("leaver \(index)") { participant in
      for _ in 0..<participant.number(0...2) { await participant.pause() }
      if participant.once(in: 2) {
        let probe = Probe<Item, TestError>(world, "leaving \(index)", leavesAfter: participant.number(1...3)) {
          $0.origin
        }
        channel.subscribe(probe)
        for _ in 0..<participant.number(0...3) {
          probe.request(.max(participant.number(1...2)))
          await participant.pause()
        }
        probe.cancel()
      } else {
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            let collected = CollectedResults()
            let iterator = UncheckedBox(channel.asyncValues(prefetch: participant.number(1...3)).makeAsyncIterator())
            await take(participant.number(0...4), from: iterator, world, participant, into: collected)
          }
          for _ in 0..<participant.number(0...4) { await participant.pause() }
          participant.note("leaves")
          group.cancelAll()
        }
      }
    }
  }
}
