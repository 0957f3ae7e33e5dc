/// Work on several machines, beside each other, from left to right.
struct LanePicture: Picture {
  struct Job: Sendable {
    let value: Int
    let start: Int
    let end: Int
    /// Whether the machine ends before the job does.
    var isKilled = false
  }

  struct Lane: Sendable {
    let name: String
    let jobs: [Job]
  }

  struct Mark: Sendable {
    let time: Int
    let text: String
    let value: Int
  }

  /// A job that another machine gets.
  struct Move: Sendable {
    let from: Int
    let to: Int
    let start: Int
    let end: Int
    let reason: String
  }

  let module: String
  let name: String
  let title: String
  let description: String
  let code: String
  let input: (name: String, marks: [Mark])
  let lanes: [Lane]
  let move: Move
  let output: (name: String, marks: [Mark], end: Int)

  /// The width of one unit of time.
  private static let unit = 7
  private static let left = 126
  private static let barHeight = 26
  private static let row = 48

  private var right: Int { x(output.end) + 40 }
  private var boxTop: Int { 8 + Self.row + 4 }
  private var firstLane: Int { boxTop + 38 }
  private var boxHeight: Int { 38 + lanes.count * Self.row + 4 }
  private var outputY: Int { boxTop + boxHeight + 4 + Self.row / 2 }

  private func x(_ time: Int) -> Int { Self.left + 20 + time * Self.unit }

  private func y(lane: Int) -> Int { firstLane + lane * Self.row + Self.row / 2 }

  func svg(_ theme: Theme) -> String {
    var image = Drawing(theme: theme)
    image.rules = [
      ".gone { stroke: \(theme.alarm); stroke-width: 2; stroke-dasharray: 1 5 }",
      ".alarm { fill: \(theme.alarm) }",
      ".broken { stroke-dasharray: 5 4 }",
    ]
    let inputY = 8 + Self.row / 2
    image.name(input.name, x: Self.left - 4, y: inputY)
    image.line(from: Self.left + 12, to: right, y: inputY, isFaint: false)
    for mark in input.marks {
      image.value([(mark.text, mark.value - 1)], x: x(mark.time), y: inputY, isMissed: false)
    }

    image.add(
      #"<rect class="box" x="12" y="\#(boxTop)" width="\#(right - 12)" height="\#(boxHeight)" rx="10"/>"#)
    let start = 12 + (right - 12 - FigureLayout.width(of: code)) / 2
    image.add(#"<text class="code" x="\#(start)" y="\#(boxTop + 25)" xml:space="preserve">\#(code.highlighted)</text>"#)
    for (index, lane) in lanes.enumerated() { draw(lane, y(lane: index), in: &image) }
    drawMove(in: &image)

    image.name(output.name, x: Self.left - 4, y: outputY)
    image.line(from: Self.left + 12, to: right, y: outputY, isFaint: false)
    for mark in output.marks {
      image.value([(mark.text, mark.value - 1)], x: x(mark.time), y: outputY, isMissed: false)
    }
    image.end(x: x(output.end), y: outputY, isMissed: false)
    return image.document(
      width: right + FigureLayout.margin, height: outputY + Self.row / 2 + 8, title: title, description: description)
  }

  private func draw(_ lane: Lane, _ y: Int, in image: inout Drawing) {
    image.name(lane.name, x: Self.left - 4, y: y)
    let end = lane.jobs.first(where: \.isKilled).map { x($0.end) } ?? right - 14
    image.add(#"<path class="line" d="M\#(Self.left + 12) \#(y)H\#(end)"/>"#)
    for job in lane.jobs {
      let style = image.style(ofValue: job.value - 1)
      let (from, to) = (x(job.start), x(job.end))
      image.add(
        #"<rect class="\#(style)\#(job.isKilled ? " broken" : "")" x="\#(from)" y="\#(y - Self.barHeight / 2)" "#
          + #"width="\#(to - from)" height="\#(Self.barHeight)" rx="6"/>"#)
      image.add(#"<text class="\#(style)t" x="\#((from + to) / 2)" y="\#(y + 5)">\#(job.value)</text>"#)
      if job.isKilled { image.failure(x: to, y: y, isMissed: false) }
    }
  }

  private func drawMove(in image: inout Drawing) {
    let (from, to) = (y(lane: move.from), y(lane: move.to))
    let (start, end) = (x(move.start), x(move.end))
    let tip = to + (from > to ? 1 : -1) * (Self.barHeight / 2 + 3)
    let back = from > to ? 6 : -6
    image.add(#"<path class="gone" d="M\#(start + 16) \#(from)H\#(end)V\#(tip)"/>"#)
    image.add(#"<path class="line" d="M\#(end - 5) \#(tip + back)l5 \#(-back)l5 \#(back)"/>"#)
    image.add(#"<text class="alarm" x="\#((start + 16 + end) / 2)" y="\#(from - 8)">\#(move.reason.escaped)</text>"#)
  }
}
