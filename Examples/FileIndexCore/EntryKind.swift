import Foundation

/// The kind of a directory entry.
enum EntryKind: Equatable {
  case file
  case folder
  case link
  /// An entry that is not safe to read, with its name in the report.
  case special(String)

  init(mode: mode_t) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      case S_IFIFO: .special("named pipe")
      case S_IFSOCK: .special("socket")
      case S_IFCHR: .special("character device")
      case S_IFBLK: .special("block device")
      default: .special("of an unknown kind")
      }
  }

  /// Why this is not indexed; `nil` for a file, which is.
  var refusal: String? {
    switch self {
    case .file: nil
    case .folder: "a folder now, no longer a file"
    case .link: "a link now, no longer a file"
    case .special(let name): "not a regular file: \(name)"
    }
  }
}
