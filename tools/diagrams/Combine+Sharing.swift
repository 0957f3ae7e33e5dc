import Combine

extension Gallery {
  func drawSharing() {
    draw("share", on: "share()", of: cold("-a-b-c-d-|"), subscribedAt: [0, 4]) { source in
      source.share()
    }
    draw("multicast", on: "multicast(_:)", of: cold("-a-b-c-d-|"), subscribedAt: [0, 4]) { source in
      let shared = source.multicast { PassthroughSubject<String, Never>() }
      keep(shared.connect())
      return shared
    }
    draw("multicastSubject", on: "multicast(subject:)", of: cold("-b-c-d-|"), subscribedAt: [0, 4]) { source in
      let shared = source.multicast(subject: CurrentValueSubject("a"))
      keep(shared.connect())
      return shared
    }
    draw("makeConnectable", on: "makeConnectable()", "connect()", of: cold("-a-b-|"), subscribedAt: [0, 1]) { source in
      let shared = source.makeConnectable()
      after(2) { self.keep(shared.connect()) }
      return shared
    }
    draw("autoconnect", on: "autoconnect()", of: cold("-a-b-c-|"), subscribedAt: [2, 4]) { source in
      source
        .makeConnectable()
        .autoconnect()
    }
    draw("PassthroughSubject", on: "PassthroughSubject", of: letters("-b-c-d-|"), subscribedAt: [0, 4]) { source in
      let subject = PassthroughSubject<String, Never>()
      send(source, to: subject)
      return subject
    }
    draw("CurrentValueSubject", on: "CurrentValueSubject", of: letters("-b-c-d-|"), subscribedAt: [0, 4]) { source in
      let subject = CurrentValueSubject<String, Never>("a")
      send(source, to: subject)
      return subject
    }
    draw("Future", on: "Future", of: testScheduler(), subscribedAt: [0, 3]) { scheduler in
      Future<String, Never> { promise in
        scheduler.schedule(after: 2) { promise(.success("a")) }
      }
    }
    draw("Deferred", on: "Deferred", of: testScheduler(), subscribedAt: [0, 3]) { scheduler in
      Deferred {
        Just("a").delay(for: 2, scheduler: scheduler)
      }
    }
    draw("Published", on: "Published", of: numbers("-1-2-3-|")) { source in
      let model = Model()
      keep(source.assign(to: \.early, on: model))
      return model.$early.map { published in (published, model.early) }
    }
    draw("values", on: "values", of: cold("-a-b-c-|")) { source in
      source.values
    }
    draw("buffer", on: "buffer(size:prefetch:whenFull:)", of: letters("-abcdef-|"), testScheduler()) {
      source, scheduler in
      source
        .buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 3, scheduler: scheduler) }
    }
    draw(
      "handleEvents",
      on: "handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)",
      of: letters("-a-b-|"), output()
    ) { source, events in
      source.handleEvents(
        receiveSubscription: { _ in events("begun") }, receiveOutput: { events($0) },
        receiveCompletion: { events("\($0)") })
    }
  }

  func drawMoreCombined() {
    let (small, digits) = (letters("-a---b-|"), letters("--1-2----|"))
    let (capitals, signs) = (letters("---X---Y-|"), letters("----+--=--|"))
    draw("merge3", on: "merge(with:_:)", of: small, digits, capitals) { p, q, r in
      p.merge(with: q, r)
    }
    draw("merge4", on: "merge(with:_:_:)", of: small, digits, capitals, signs) { p, q, r, s in
      p.merge(with: q, r, s)
    }
    draw("merge5", on: "merge(with:_:_:_:)", of: small, digits, capitals, signs, small) { p, q, r, s, t in
      p.merge(with: q, r, s, t)
    }
    draw("merge6", on: "merge(with:_:_:_:_:)", of: small, digits, capitals, signs, small, digits) {
      p, q, r, s, t, u in
      p.merge(with: q, r, s, t, u)
    }
    draw("merge7", on: "merge(with:_:_:_:_:_:)", of: small, digits, capitals, signs, small, digits, capitals) {
      p, q, r, s, t, u, v in
      p.merge(with: q, r, s, t, u, v)
    }
    draw(
      "merge8", on: "merge(with:_:_:_:_:_:_:)", of: small, digits, capitals, signs, small, digits, capitals, signs
    ) { p, q, r, s, t, u, v, w in
      p.merge(with: q, r, s, t, u, v, w)
    }
    draw("combineLatest3", on: "combineLatest(_:_:)-5crqg", of: small, digits, capitals) { p, q, r in
      p.combineLatest(q, r)
    }
    draw("combineLatest4", on: "combineLatest(_:_:_:)-48buc", of: small, digits, capitals, signs) { p, q, r, s in
      p.combineLatest(q, r, s)
    }
    draw("combineLatestTransform", on: "combineLatest(_:_:)-1n30g", of: small, digits) { p, q in
      p.combineLatest(q) { $0 + $1 }
    }
    draw("combineLatest3Transform", on: "combineLatest(_:_:_:)-6ekpz", of: small, digits, capitals) { p, q, r in
      p.combineLatest(q, r) { $0 + $1 + $2 }
    }
    draw("combineLatest4Transform", on: "combineLatest(_:_:_:_:)", of: small, digits, capitals, signs) {
      p, q, r, s in
      p.combineLatest(q, r, s) { $0 + $1 + $2 + $3 }
    }
    draw("zip3", on: "zip(_:_:)-8d7k7", of: small, digits, capitals) { p, q, r in
      p.zip(q, r)
    }
    draw("zip4", on: "zip(_:_:_:)-16rcy", of: small, digits, capitals, signs) { p, q, r, s in
      p.zip(q, r, s)
    }
    draw("zipTransform", on: "zip(_:_:)-4xn21", of: small, digits) { p, q in
      p.zip(q) { $0 + $1 }
    }
    draw("zip3Transform", on: "zip(_:_:_:)-9yqi1", of: small, digits, capitals) { p, q, r in
      p.zip(q, r) { $0 + $1 + $2 }
    }
    draw("zip4Transform", on: "zip(_:_:_:_:)", of: small, digits, capitals, signs) { p, q, r, s in
      p.zip(q, r, s) { $0 + $1 + $2 + $3 }
    }
  }
}
