import Foundation
import InterflowTracing
import Testing

@Suite struct PageTests {
  private func recording(_ page: String) throws -> [String: Any] {
    let begin = try #require(page.range(of: #"<script type="application/json" id="recording">"#))
    let end = try #require(page.range(of: "</script>", range: begin.upperBound..<page.endIndex))
    let data = Data(page[begin.upperBound..<end.lowerBound].utf8)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func thePageHoldsTheRecording() throws {
    let recorder = TraceRecorder()
    recorder.start()
    _ = [1, 2].publisher.traced("numbers", recorder: recorder).map { $0 + 1 }.traced("next", recorder: recorder)
      .sink { _ in }
    let data = try recording(recorder.recording().html(title: "Two lanes"))
    #expect(data["title"] as? String == "Two lanes")
    let lanes = try #require(data["lanes"] as? [[String: Any]])
    #expect(lanes.compactMap { $0["name"] as? String } == ["numbers", "next"])
    let subscription = try #require((lanes[1]["subscriptions"] as? [[String: Any]])?.first)
    let events = try #require(subscription["events"] as? [[Any]])
    #expect(events.map { $0[1] as? Int } == [0, 2, 3, 3, 4])
    #expect(events[2][3] as? String == "2")
    #expect(events[2][4] as? [Int] == [1, 1])
  }

  @Test func hostileTextsCannotLeaveTheirPlace() throws {
    let recorder = TraceRecorder()
    recorder.start()
    let text = "</script><script>x<!--"
    _ = Just(text).traced(text, recorder: recorder).sink { _ in }
    let page = recorder.recording().html(title: text)
    #expect(!page.contains(text))
    // One for the recording and one for the page.
    #expect(page.components(separatedBy: "<script").count == 3)
    #expect(try recording(page)["title"] as? String == text)
  }

  @Test func thePageNeedsNothingElse() {
    let page = TraceRecorder().recording().html()
    for reference in ["http://", "https://", "src=", "href=", "@import", "url("] { #expect(!page.contains(reference)) }
  }
}
