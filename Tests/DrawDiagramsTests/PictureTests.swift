import Foundation
import Testing

@testable import DrawDiagrams

@Suite struct PictureTests {
  @Test(arguments: DrawDiagrams.pictures.indices) func anArticleShowsThePictureAndSaysWhatItShows(index: Int) throws {
    let picture = DrawDiagrams.pictures[index]
    let catalogue = DrawDiagrams.root.appendingPathComponent("Sources/\(picture.module)/\(picture.module).docc")
    let articles = try FileManager.default.contentsOfDirectory(at: catalogue, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "md" }
    let showing = try articles.filter { try String(contentsOf: $0, encoding: .utf8).contains(picture.markdown) }
    #expect(showing.isEmpty == false, "no article has: \(picture.markdown)")
  }

  @Test(arguments: DrawDiagrams.pictures.indices) func aPictureHasAnImageForEachAppearance(index: Int) {
    let picture = DrawDiagrams.pictures[index]
    #expect(picture.files.map(\.path).map { $0.hasSuffix("~dark.svg") } == [false, true])
    #expect(picture.svg(.light) != picture.svg(.dark))
    for (_, text) in picture.files { #expect(text.contains("<desc>\(picture.description.escaped)</desc>")) }
  }

  @Test func aPictureThatIsMissingDiffers() {
    let picture = StreamPicture.diagram
    let comparison = Comparison([], pictures: [picture], present: []) { _ in nil }
    #expect(comparison.differences == picture.files.map(\.path).sorted())
  }
}
