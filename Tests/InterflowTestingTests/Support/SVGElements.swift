import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The elements of an SVG image, if it is well formed.
final class SVGElements: NSObject, XMLParserDelegate {
  struct Place {
    let x, y, width, height: Int
  }

  private(set) var classes: [String] = []
  private(set) var rectangles: [Place] = []
  private(set) var width = 0
  private(set) var height = 0
  private(set) var title = ""
  private var path: [(name: String, style: String)] = []
  private var found: [(style: String, parent: String, text: String)] = []

  init(_ svg: String) throws {
    super.init()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = self
    if !parser.parse() { throw TestError("line \(parser.lineNumber): \(String(describing: parser.parserError))") }
  }

  func texts(named style: String) -> [String] { found.filter { $0.style == style }.map(\.text) }

  func texts(inside style: String) -> [String] {
    found.filter { $0.parent.split(separator: " ").first.map(String.init) == style }.map(\.text)
  }

  func count(of style: String) -> Int { classes.count { $0 == style } }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    let style = attributes["class"] ?? ""
    if name == "text" { found.append((style, path.last?.style ?? "", "")) }
    path.append((name, style))
    classes.append(style)
    func number(_ key: String) -> Int { attributes[key].flatMap { Int($0) } ?? -1 }
    if name == "rect" {
      rectangles.append(Place(x: number("x"), y: number("y"), width: number("width"), height: number("height")))
    }
    if name == "svg" { (width, height) = (number("width"), number("height")) }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    path.removeLast()
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if path.last?.name == "text" { found[found.count - 1].text += text }
    if path.map(\.name) == ["svg", "title"] { title += text }
  }
}
