import Foundation

/// Why a folder cannot be indexed.
package struct FolderProblem: Error, Equatable, CustomStringConvertible {
  package var folder: EntryPath
  package var error: SystemError

  package var description: String {
    switch error.number {
    case ENOENT: "there is no folder '\(folder)'"
    case ENOTDIR: "'\(folder)' is not a folder"
    default: "cannot read the folder '\(folder)': \(error)"
    }
  }
}
