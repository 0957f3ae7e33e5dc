import Foundation

/// The closure of a figure, as it is written in its file.
struct Listing {
  /// The names of the closure's parameters.
  let names: [String]
  /// The lines of its body, without their common indentation.
  let code: [String]

  init(_ file: String, _ line: Int) {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
      preconditionFailure("\(file) cannot be read")
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let indentation = lines[line - 1].prefix { $0 == " " }
    let open = lines[(line - 1)...].firstIndex { $0.contains("{") }!
    let head = lines[open...].firstIndex { $0.hasSuffix(" in") }!
    let parameters = lines[open...head].joined(separator: " ").split(separator: "{").last!
    names = parameters.dropLast(2).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let end = lines[head...].firstIndex { $0 == indentation + "}" }!
    code = lines[(head + 1)..<end].map { String($0.dropFirst(indentation.count + 2)) }
  }
}
