/// A marble diagram of a source, with its values: the signals of each frame.
struct MarbleScript<Output, Failure: Error> {
  struct Step {
    let frame: Int
    let kind: RecordedSignal<Output, Failure>.Kind
  }

  let steps: [Step]

  init(_ diagram: String, values: [Character: Output], error: Failure?) throws(MarbleSyntaxError) {
    let syntax = try MarbleSyntax(diagram)
    try syntax.checkSource()
    var steps: [Step] = []
    for entry in syntax.signals {
      let kind: RecordedSignal<Output, Failure>.Kind
      switch entry.mark {
      case .value(let character):
        kind = .value(try marbleValue(of: character, in: values, at: entry, of: syntax))
      case .failure:
        guard let error else {
          throw syntax.error(entry.column, "a failure needs an error; give it with 'error:'")
        }
        kind = .failure(error)
      default:
        kind = .finished
      }
      steps.append(Step(frame: entry.frame, kind: kind))
    }
    self.steps = steps
  }
}

extension MarbleScript: Sendable where Output: Sendable {}
extension MarbleScript.Step: Sendable where Output: Sendable {}

/// The value of a character: from the dictionary, or the character itself.
func marbleValue<Output>(
  of character: Character, in values: [Character: Output], at entry: MarbleSyntax.Entry, of syntax: MarbleSyntax
) throws(MarbleSyntaxError) -> Output {
  if let value = values[character] { return value }
  if let text = String(character) as? Output { return text }
  if let text = Substring(String(character)) as? Output { return text }
  if let character = character as? Output { return character }
  let known = values.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
  throw syntax.error(
    entry.column,
    "'\(character)' stands for no \(Output.self); "
      + (known.isEmpty ? "give its value with 'values:'" : "'values:' has \(known)"))
}
