import Foundation
import InterflowTesting
import Testing

@Suite struct StreamDiagramTests {
  let timeline = TestTimeline()

  @Test func aRunAsText() throws {
    let source = try timeline.hot("ab---c---|")
    let diagram = timeline.diagram(
      "debounce(for: 2)", inputs: ["source": source],
      output: source.debounce(for: 2, scheduler: timeline.scheduler))
    #expect(
      diagram.text == """
        source  ab---c---|
                ╭──────────────────╮
                │ debounce(for: 2) │
                ╰──────────────────╯
        output  ---b---c-|
        """)
    #expect(diagram.description == diagram.text)
  }

  @Test func severalInputsAndLongValues() throws {
    let (left, right) = (try timeline.hot("a--b---|"), try timeline.hot("-1---(23)|"))
    let diagram = timeline.diagram(
      "combineLatest", inputs: ["left": left, "numbers": right], output: left.combineLatest(right).map { $0 + $1 })
    #expect(
      diagram.text == """
        left     a------b--------------|
        numbers  --1---------(23)----|
                 ╭─────────────────────╮
                 │    combineLatest    │
                 ╰─────────────────────╯
        output   --a1---b1---(b2,b3)---|
        """)
  }

  @Test func failuresAreExplained() throws {
    let source = try timeline.hot("-a-#", error: TestError("no network"))
    let diagram = timeline.diagram("replaceError", inputs: ["source": source], output: source.replaceError(with: "x"))
    #expect(
      diagram.text == """
        source  -a-#
                ╭──────────────╮
                │ replaceError │
                ╰──────────────╯
        output  -a-(x|)
        # = no network
        """)
  }

  @Test func streamsWithoutAnEndGoOn() throws {
    let source = try timeline.hot("a--b-----|")
    let diagram = timeline.diagram(
      "append(never)", inputs: ["source": source], output: source.append(Empty(completeImmediately: false)))
    #expect(diagram.text.hasSuffix("\noutput  a--b------"))
  }

  @Test func anyPublishersRecordingIsAnInput() {
    let ticks = Deferred { [scheduler = timeline.scheduler] in
      let subject = PassthroughSubject<Int, Never>()
      for second in 1...3 {
        scheduler.schedule(after: VirtualTime(nanoseconds: second * 2_000_000_000)) { subject.send(second) }
      }
      return subject
    }.recording(on: timeline)
    let diagram = timeline.diagram("map { $0 * 2 }", inputs: ["ticks": ticks], output: ticks.map { $0 * 2 })
    #expect(
      diagram.text == """
        ticks   --1-2-3
                ╭────────────────╮
                │ map { $0 * 2 } │
                ╰────────────────╯
        output  --2-4-6
        """)
  }

  @Test func laterSubscriptionsAreShown() {
    let diagram = StreamDiagram(
      "dropped", inputs: [],
      output: StreamDiagram.Row(
        "late", signals: [RecordedSignal<Int, Never>.subscription(at: 0.2), .value(1, at: 0.25), .finished(at: 0.4)]),
      frame: .milliseconds(100))
    #expect(diagram.text.hasSuffix("late  --(^1)-|"))
  }

  // MARK: SVG

  @Test func anImageIsWellFormedAndHoldsWhatHappened() throws {
    let source = try timeline.hot("a-<-#", error: TestError("\"no\" & <bad>"))
    let diagram = timeline.diagram("map & <more>", inputs: ["in & out": source], output: source.map { $0 + "\u{1}" })
    let elements = try SVGElements(diagram.svg)
    #expect(elements.texts(named: "name") == ["in & out", "output"])
    #expect(elements.texts(inside: "operator") == ["map & <more>"])
    #expect(elements.texts(inside: "value") == ["a", "<", "a\u{FFFD}", "<\u{FFFD}"])
    #expect(elements.count(of: "failure") == 2)
    #expect(elements.count(of: "end") == 0)
    #expect(elements.texts(named: "time").prefix(2) == ["0 s", "1 s"])
    #expect(elements.title == "map & <more>")
    #expect(diagram.svg.contains("@media (prefers-color-scheme: dark)"))
  }

  @Test func equalValuesHaveTheSameColour() throws {
    let source = try timeline.hot("abab|")
    let svg = timeline.diagram("removeDuplicates", inputs: ["source": source], output: source.removeDuplicates()).svg
    let classes = try SVGElements(svg).classes.filter { $0.hasPrefix("value") }
    #expect(classes == Array(repeating: ["value c0", "value c1"], count: 4).flatMap { $0 })
  }

  @Test func theSameRunMakesTheSameImage() throws {
    func image() throws -> String {
      let timeline = TestTimeline()
      let (left, right) = (try timeline.hot("a--b---|"), try timeline.hot("-1---(23)|"))
      return timeline.diagram("zip", inputs: ["left": left, "right": right], output: left.zip(right).map { $0 + $1 })
        .svg
    }
    #expect(try image() == image())
  }

  @Test func nothingIsDrawnOutsideOfTheImage() throws {
    let source = try timeline.hot("(abc)---(de)|")
    let diagram = timeline.diagram(
      "an operator with a rather long name that is wider than what it does", inputs: ["source": source],
      output: source.map { String(repeating: $0, count: 12) })
    let elements = try SVGElements(diagram.svg)
    let places = elements.rectangles
    #expect(places.count == 11)
    for place in places {
      #expect(place.x >= 0 && place.x + place.width <= elements.width)
      #expect(place.y >= 0 && place.y + place.height <= elements.height)
    }
    let values = places.filter { $0.height == 32 }
    for (index, place) in values.enumerated() {
      for other in values.dropFirst(index + 1) where other.y == place.y {
        #expect(place.x + place.width <= other.x || other.x + other.width <= place.x, "values do not overlap")
      }
    }
  }
}
