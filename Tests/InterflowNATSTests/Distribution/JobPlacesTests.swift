@testable import InterflowNATS
import Testing

@Suite struct JobPlacesTests {
  private typealias Request = JobPlaces.Request

  @Test func oneShardIsWaitedForWithAllPlaces() {
    var places = JobPlaces(3, shards: 1, first: 0)
    #expect(places.takeRequests() == [Request(shard: 0, count: 3, waits: true)])
    #expect(places.takeRequests() == [])
    places.received(from: 0)
    #expect(places.takeRequests() == [])
    places.finished()
    #expect(places.takeRequests() == [Request(shard: 0, count: 1, waits: true)])
  }

  @Test func placesAreSpreadOverTheShards() {
    var places = JobPlaces(6, shards: 4, first: 2)
    #expect(
      places.takeRequests() == [
        Request(shard: 0, count: 1, waits: false), Request(shard: 1, count: 1, waits: false),
        Request(shard: 2, count: 2, waits: false), Request(shard: 3, count: 2, waits: false),
      ])
  }

  @Test(arguments: 1...3) func thereIsABoundToPlaces(shards: Int) {
    var places = JobPlaces(.max, shards: shards, first: 0)
    #expect(places.takeRequests().map(\.count).reduce(0, +) == 65_536)
  }

  @Test func aPlaceMovesOnUntilAllShardsAreEmptyAndWaitsThen() {
    var places = JobPlaces(1, shards: 3, first: 1)
    for shard in [1, 2, 0] {
      #expect(places.takeRequests() == [Request(shard: shard, count: 1, waits: false)])
      places.ended(1, from: shard, hasWaited: false)
    }
    #expect(places.takeRequests() == [Request(shard: 1, count: 1, waits: true)])
    // Others may have jobs by now.
    places.ended(1, from: 1, hasWaited: true)
    #expect(places.takeRequests() == [Request(shard: 2, count: 1, waits: false)])
  }

  @Test func eachShardHasItsTurnWhileAllHaveJobs() {
    var places = JobPlaces(1, shards: 3, first: 0)
    var served: [Int] = []
    for _ in 0..<6 {
      let request = places.takeRequests()[0]
      served.append(request.shard)
      places.received(from: request.shard)
      places.finished()
    }
    #expect(served == [0, 1, 2, 0, 1, 2])
  }

  /// As those of a server that has not answered for seconds, when its requests have been given up.
  @Test func jobsThatComeLateTakePlacesThatAreNotFree() {
    var places = JobPlaces(2, shards: 2, first: 0)
    _ = places.takeRequests()
    places.refused(1, from: 0)
    #expect(places.takeRequests() == [Request(shard: 0, count: 1, waits: false)])
    places.received(from: 0)
    // Two more than there are places for.
    for shard in [0, 0, 1] { places.received(from: shard) }
    #expect(places.takeRequests() == [])
    for _ in 0..<2 {
      places.finished()
      #expect(places.takeRequests() == [])
    }
    places.finished()
    #expect(places.takeRequests().map(\.count) == [1])
    #expect(places.takeRequests() == [])
  }

  @Test func aShardThatHasBeenEmptyAndBringsAJobIsLookedAtAgain() {
    var places = JobPlaces(2, shards: 2, first: 0)
    _ = places.takeRequests()
    places.ended(1, from: 0, hasWaited: false)
    // All places wait for the other one.
    #expect(places.takeRequests() == [Request(shard: 0, count: 1, waits: true)])
    places.received(from: 0)
    places.finished()
    #expect(places.takeRequests() == [Request(shard: 0, count: 1, waits: false)])
  }

  /// Counts the jobs of shard 1 until shard 0 is looked at.
  private func jobs(untilLookedAt places: inout JobPlaces) -> Int? {
    for count in 0..<1_000 {
      let requests = places.takeRequests()
      if requests.contains(where: { $0.shard == 0 }) { return count }
      for request in requests {
        for _ in 0..<request.count {
          places.received(from: request.shard)
          places.finished()
        }
      }
    }
    return nil
  }

  @Test func aShardThatWasEmptyIsLookedAtAgainWhileOthersHaveJobs() throws {
    var places = JobPlaces(1, shards: 2, first: 0)
    #expect(places.takeRequests() == [Request(shard: 0, count: 1, waits: false)])
    places.ended(1, from: 0, hasWaited: false)
    #expect(jobs(untilLookedAt: &places) == 4)
  }

  @Test func aShardThatStaysEmptyIsLookedAtLessOftenButNotNever() {
    var places = JobPlaces(1, shards: 2, first: 0)
    _ = places.takeRequests()
    var counts: [Int?] = []
    for _ in 0..<6 {
      places.ended(1, from: 0, hasWaited: false)
      counts.append(jobs(untilLookedAt: &places))
    }
    #expect(counts == [4, 8, 16, 16, 16, 16])
    // With a job it has its turn as before.
    places.received(from: 0)
    places.finished()
    #expect(places.takeRequests() == [Request(shard: 1, count: 1, waits: false)])
    places.received(from: 1)
    places.finished()
    #expect(places.takeRequests() == [Request(shard: 0, count: 1, waits: false)])
    places.ended(1, from: 0, hasWaited: false)
    #expect(jobs(untilLookedAt: &places) == 4)
  }

  @Test func aShardThatRefusesMayHaveJobs() {
    var places = JobPlaces(1, shards: 2, first: 0)
    _ = places.takeRequests()
    places.refused(1, from: 0)
    #expect(places.takeRequests() == [Request(shard: 1, count: 1, waits: false)])
    places.ended(1, from: 1, hasWaited: false)
    #expect(places.takeRequests() == [Request(shard: 0, count: 1, waits: false)])
  }

  @Test func aJobThatComesLateTakesAPlace() {
    var places = JobPlaces(1, shards: 2, first: 0)
    _ = places.takeRequests()
    places.ended(1, from: 0, hasWaited: false)
    places.received(from: 0)
    #expect(places.takeRequests() == [])
    places.finished()
    #expect(places.takeRequests().map(\.count) == [1])
  }

  @Test(arguments: 1...5, 1...5) func noMoreIsRequestedThanThereArePlaces(count: Int, shards: Int) {
    var random = SystemRandomNumberGenerator()
    var places = JobPlaces(count, shards: shards, first: count)
    var requested = Array(repeating: 0, count: shards)
    var running = 0
    for _ in 0..<2_000 {
      for request in places.takeRequests() { requested[request.shard] += request.count }
      #expect(requested.reduce(running, +) == count)
      let shard = Int.random(in: 0..<shards, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0 where requested[shard] > 0:
        places.received(from: shard)
        requested[shard] -= 1
        running += 1
      case 1 where requested[shard] > 0:
        let ended = Int.random(in: 1...requested[shard], using: &random)
        places.ended(ended, from: shard, hasWaited: .random(using: &random))
        requested[shard] -= ended
      case 2 where running > 0:
        places.finished()
        running -= 1
      default: break
      }
    }
  }
}
