extension TraceRecording {
  /// The recording as a page of HTML that needs nothing else: lanes with their values on an axis of time.
  ///
  /// The page lists what the recording's ``findings`` are first. Below, each lane has a row of marbles for each
  /// subscription that ran at the same time, with the outstanding demand as a line. Wheel, drag, touch and keys zoom and
  /// move; a search finds values, lanes and work.
  ///
  /// - Parameter title: The title of the page.
  /// - Complexity: O(*n*) for *n* events, of which each takes about 30 bytes of the page.
  public func html(title: String = "Trace") -> String { page(title, updates: nil) }

  /// The recording as the page's script reads it.
  ///
  /// - Parameter isUnderWay: Whether it goes on, so that a subscription that has not ended is no finding.
  func json(_ title: String, isUnderWay: Bool) -> String {
    var json = JSONText()
    write(to: &json, title: title, findings.filter { !isUnderWay || $0.kind != .isLive })
    return json.text
  }

  /// - Parameter updates: Where the page gets newer recordings from, relative to its own address.
  func page(_ title: String, updates: String?) -> String {
    var escaped = JSONText()
    escaped.html(title)
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\(updates == nil ? "" : "; connect-src 'self'")">
      <title>\(escaped.text)</title>
      <style>
      \(pageStyle)
      </style>
      </head>
      <body\(updates.map { " data-live=\"\($0)\"" } ?? "")>
      \(pageBody)
      <script type="application/json" id="recording">\(json(title, isUnderWay: updates != nil))</script>
      <script>
      \(pageScript)
      </script>
      </body>
      </html>

      """
  }

  private func write(to json: inout JSONText, title: String, _ findings: [TraceFinding]) {
    json.write("{")
    json.member("title", title)
    json.write(#","duration":\#(duration.wholeNanoseconds),"dropped":\#(droppedCount),"findings":"#)
    json.list(findings) { json, finding in
      json.write("{")
      json.member("text", finding.description)
      json.write(#","subscriptions":\#(finding.subscriptions.prefix(1_000))}"#)
    }
    json.write(#","lanes":"#)
    json.list(lanes) { json, lane in
      json.write("{")
      json.member("name", lane.name)
      json.write(#","subscriptions":"#)
      json.list(lane.subscriptions) { json, subscription in subscription.write(to: &json) }
      json.write("}")
    }
    json.write(#","work":"#)
    json.list(work) { json, piece in
      json.write("{")
      json.member("name", piece.name)
      json.write(",")
      json.member("text", piece.text)
      if let id = piece.id {
        json.write(",")
        json.member("id", id)
      }
      if let failure = piece.failure { json.write(","); json.member("failure", failure.displayed) }
      json.write(
        #","start":\#(piece.start.wholeNanoseconds),"duration":\#(piece.duration.wholeNanoseconds),"thread":\#(piece.thread)}"#
      )
    }
    json.write("}")
  }
}

extension TraceRecording.Subscription {
  /// Its events, each as the script's `kinds` has it: `[time, kind, thread, value?, cause?]`.
  fileprivate func write(to json: inout JSONText) {
    json.write(#"{"number":\#(number),"live":\#(isLive),"events":"#)
    json.list(records) { json, record in
      json.write("[\(record.time),\(record.kind.rawValue),\(record.thread)")
      switch record.kind {
      case .request: json.write(",\(record.requested ?? -1)")
      case .value, .failure:
        json.write(",")
        if let text = record.value.text { json.string(text.displayed) } else { json.write("null") }
        if record.cause != 0 {
          let cause = TraceRecording.ValueIdentity(record.cause)
          json.write(",[\(cause.subscription),\(cause.number)],\(record.number)")
        } else if record.kind == .value {
          json.write(",0,\(record.number)")
        }
      default: break
      }
      json.write("]")
    }
    json.write("}")
  }
}

extension JSONText {
  /// Writes text of HTML.
  mutating func html(_ value: String) {
    for character in value.unicodeScalars {
      switch character {
      case "<": write("&lt;")
      case ">": write("&gt;")
      case "&": write("&amp;")
      default: write(String(character))
      }
    }
  }
}
