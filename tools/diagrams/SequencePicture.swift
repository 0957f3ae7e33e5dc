/// What programs and servers say to each other, from top to bottom.
struct SequencePicture: Picture {
  struct Participant: Sendable {
    let name: String
    let detail: String
  }

  enum Step: Sendable {
    /// - Parameters:
    ///   - value: The value that is carried.
    ///   - isAnswer: Whether it answers what was said before.
    case message(from: Int, to: Int, String, value: Int? = nil, isAnswer: Bool = false)
    /// A participant holds a value from here on, until it is released.
    case holds(Int, value: Int)
    case releases(Int, value: Int)
    /// A participant ends for good.
    case killed(Int, String)
    /// Time has passed at a participant, since the last value.
    case waited(Int, String)
  }

  let module: String
  let name: String
  let title: String
  let description: String
  let participants: [Participant]
  let steps: [Step]
  /// What the bars mean.
  let legend: String

  private static let column = 208
  private static let head = 46
  private static let boxWidth = 172

  func svg(_ theme: Theme) -> String {
    var image = Drawing(theme: theme)
    image.rules = [
      ".party { font-weight: 600 }",
      ".detail { font-size: 11px; fill: \(theme.faint) }",
      ".life { stroke: \(theme.outline); stroke-width: 2 }",
      ".answer { stroke: \(theme.line); stroke-width: 2; stroke-dasharray: 1 5 }",
      ".wait { stroke: \(theme.line); stroke-width: 1.5 }",
      ".alarm { fill: \(theme.alarm); text-anchor: start }",
      ".beside { text-anchor: start }",
      ".before { text-anchor: end }",
    ]
    let ends = positions()
    let bottom = ends.bottom
    for index in participants.indices {
      image.add(#"<path class="life" d="M\#(x(index)) \#(12 + Self.head)V\#(ends.ofParticipants[index] ?? bottom)"/>"#)
    }
    for bar in ends.bars {
      let style = image.style(ofValue: bar.value - 1)
      image.add(
        #"<rect class="\#(style)" x="\#(x(bar.participant) - 6)" y="\#(bar.from)" width="12" "#
          + #"height="\#(bar.to - bar.from)" rx="6"/>"#)
    }
    for (index, participant) in participants.enumerated() { head(participant, x(index), in: &image) }
    var y = Self.top
    var lastValue = y
    for step in steps {
      draw(step, y, since: lastValue, in: &image)
      if case .message(_, _, _, _?, _) = step { lastValue = y + 10 }
      y += Self.height(of: step)
    }
    let style = image.style(ofValue: 0)
    image.add(#"<rect class="\#(style)" x="13" y="\#(bottom + 12)" width="24" height="10" rx="5"/>"#)
    image.add(#"<text class="detail beside" x="46" y="\#(bottom + 21)">\#(legend.escaped)</text>"#)
    return image.document(width: width, height: bottom + 36, title: title, description: description)
  }

  private static var top: Int { 12 + head + 30 }
  private var width: Int { x(participants.count - 1) + Self.boxWidth / 2 + FigureLayout.margin }

  private func x(_ participant: Int) -> Int {
    FigureLayout.margin + Self.boxWidth / 2 + participant * Self.column
  }

  private static func height(of step: Step) -> Int {
    switch step {
    case .message(_, _, _, value: nil, _): 38
    case .message: 50
    case .holds, .releases: 0
    case .killed: 44
    case .waited: 16
    }
  }

  private struct Bar {
    let participant: Int
    let value: Int
    let from: Int
    var to: Int
  }

  private func positions() -> (bars: [Bar], ofParticipants: [Int: Int], bottom: Int) {
    var bars: [Bar] = []
    var ends: [Int: Int] = [:]
    var y = Self.top
    for step in steps {
      switch step {
      case .holds(let participant, let value):
        bars.append(Bar(participant: participant, value: value, from: y - 40, to: y))
      case .releases(_, let value):
        guard let index = bars.lastIndex(where: { $0.value == value }) else { break }
        bars[index].to = y - 38
      case .killed(let participant, _): ends[participant] = y
      case .message, .waited: break
      }
      y += Self.height(of: step)
    }
    return (bars, ends, y - 8)
  }

  private func head(_ participant: Participant, _ x: Int, in image: inout Drawing) {
    image.add(
      #"<rect class="box" x="\#(x - Self.boxWidth / 2)" y="12" width="\#(Self.boxWidth)" height="\#(Self.head)" "#
        + #"rx="10"/>"#)
    image.add(#"<text class="party" x="\#(x)" y="32">\#(participant.name.escaped)</text>"#)
    image.add(#"<text class="detail" x="\#(x)" y="48">\#(participant.detail.escaped)</text>"#)
  }

  private func draw(_ step: Step, _ y: Int, since lastValue: Int, in image: inout Drawing) {
    switch step {
    case .message(let from, let to, let text, let value, let isAnswer):
      let direction = from < to ? 1 : -1
      let (start, end) = (x(from) + 10 * direction, x(to) - 10 * direction)
      let middle = (start + end) / 2
      // A value is as high as its circle.
      let line = value == nil ? y : y + 10
      image.add(#"<path class="\#(isAnswer ? "answer" : "line")" d="M\#(start) \#(line)H\#(end)"/>"#)
      image.add(
        #"<path class="line" d="M\#(end - 6 * direction) \#(line - 5)l\#(6 * direction) 5l\#(-6 * direction) 5"/>"#)
      guard let value else {
        image.add(#"<text x="\#(middle)" y="\#(line - 8)">\#(text.escaped)</text>"#)
        return
      }
      image.value([("\(value)", value - 1)], x: start + 24 * direction, y: line, isMissed: false)
      image.add(#"<text x="\#(middle + 18 * direction)" y="\#(line - 8)">\#(text.escaped)</text>"#)
    case .holds, .releases: break
    case .killed(let participant, let text):
      image.failure(x: x(participant), y: y, isMissed: false)
      image.add(#"<text class="alarm" x="\#(x(participant) + 18)" y="\#(y + 5)">\#(text.escaped)</text>"#)
    case .waited(let participant, let text):
      let x = x(participant) - 20
      image.add(#"<path class="wait" d="M\#(x - 5) \#(lastValue)h10m-5 0V\#(y)m-5 0h10"/>"#)
      image.add(#"<text class="before" x="\#(x - 12)" y="\#((lastValue + y) / 2 + 5)">\#(text.escaped)</text>"#)
    }
  }
}
