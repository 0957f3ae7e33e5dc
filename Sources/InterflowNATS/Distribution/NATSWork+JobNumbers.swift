/// Calls whose answers make no difference to a program.
extension NATSWork {
  /// Has jobs delivered again where a server has forgotten their numbers before any worker has noticed.
  func checkNumbersOfJobs(in shard: WorkShard) async {
    await waitForResult { report in
      connection.background.start { [self] in
        if let consumer = consumerOfJobs(shard), consumer.isAhead { consumer.delete() }
        report(())
      }
    }
  }

  /// Has jobs delivered again that no worker has answered. Workers make their durable again.
  func deliverJobsAgain(in shard: WorkShard) {
    connection.background.start { [self] in consumerOfJobs(shard)?.delete() }
  }

  private func consumerOfJobs(_ shard: WorkShard) -> PullConsumer? {
    try? PullConsumer(connection, stream: shard.jobs.name, durable: Self.workers, settings: settings.worker)
  }

  /// Removes the jobs of a run that has ended, which nobody waits for. An interruption puts it off: workers may begin such a
  /// job meanwhile. Given up after a minute in which servers could have done it.
  func removeJobs(ofRun run: String, in shard: WorkShard) {
    let (stream, subject) = (shard.jobs.name, shard.subject(ofJobsOf: run))
    // Nothing is removed after the connection, which need not live for this.
    Task { [weak connection] in
      var (start, interruptions) = (ContinuousClock.now, connection?.events.interruptions)
      while let error = await connection?.removeMessages(of: subject, from: stream) {
        if let events = connection?.events, events.isInterrupted || events.interruptions != interruptions {
          (start, interruptions) = (.now, events.interruptions)
        }
        let refused = start.duration(to: .now)
        guard NATSRetrying.untilStored.sendsAgain(after: error, time: .zero, refused: refused) else { return }
        try await Task.sleep(for: NATSRetrying.pause)
      }
    }
  }

  /// Removes a job without a worker.
  ///
  /// - Parameter id: The job's identifier, since another may have its number where a server has forgotten the numbers.
  func removeJob(_ sequence: UInt64, _ id: JobID) {
    // There may be many, and no server that answers: other calls do not wait for them.
    Task {
      guard (try? await storedJob(id, at: sequence)) != nil else { return }
      try? await remove(sequence, from: shard(of: id).jobs, while: "removing a job of “\(name)”")
    }
  }
}
