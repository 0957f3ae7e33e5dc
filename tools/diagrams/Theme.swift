/// The colours of a figure.
struct Theme {
  let ink: String
  let faint: String
  let line: String
  let box: String
  let outline: String
  let call: String
  let literal: String
  let alarm: String
  /// The colours of values: the area, the outline, and the text.
  let values: [(fill: String, stroke: String, text: String)]

  static let light = Theme(
    ink: "#1d1d1f", faint: "#6e6e73", line: "#86868b", box: "#f5f5f7", outline: "#d2d2d7", call: "#703daa",
    literal: "#1c00cf", alarm: "#d70015",
    values: [
      ("#d9ecff", "#3d9bff", "#00366b"), ("#ffe3c7", "#f08a24", "#5a2b00"), ("#d7f5dd", "#35b257", "#0b4a1d"),
      ("#f0e0ff", "#a55eea", "#42126e"), ("#ffdde8", "#ea4d83", "#6b0a31"), ("#fff3bf", "#d9a800", "#4f3a00"),
      ("#d3f5f5", "#1fa8a8", "#054747"),
    ])

  static let dark = Theme(
    ink: "#f5f5f7", faint: "#a1a1a6", line: "#86868b", box: "#1d1d1f", outline: "#424245", call: "#d0a8ff",
    literal: "#a6d2ff", alarm: "#ff5a5f",
    values: [
      ("#0c3564", "#4ba3ff", "#d6eaff"), ("#5c3206", "#ff9f43", "#ffe6cc"), ("#0f4a22", "#4cc96e", "#d5f7de"),
      ("#431a69", "#b981f0", "#f0e2ff"), ("#651233", "#ff6f9f", "#ffdfe9"), ("#4f3c00", "#e6bd2f", "#fff2c2"),
      ("#064a4a", "#3cc8c8", "#d5f7f7"),
    ])
}
