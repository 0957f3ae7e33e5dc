/// A position in a tree of folders, which advances one entry at a time.
///
/// It holds the handles of the folders on the path to it, and no lists of entries, so its memory does not grow with the
/// number of files.
struct FolderCursor {
  /// Below this depth folders are put into `deferred`, so that a deep tree does not use up the file descriptors.
  static let openLimit = 64

  /// Folders that are skipped without `--all`.
  static let toolFolders: Set<EntryPath> = [EntryPath(".git"), EntryPath(".build")]

  let root: EntryPath
  let includesToolFolders: Bool
  /// Files that are skipped, relative to the root.
  let ownFiles: Set<EntryPath>

  private var open: [FolderHandle] = []
  private var deferred: [EntryPath] = [.here]

  init(root: EntryPath, includesToolFolders: Bool, ownFiles: Set<EntryPath> = []) {
    self.root = root
    self.includesToolFolders = includesToolFolders
    self.ownFiles = ownFiles
  }

  /// The next entry; `nil` when the tree is exhausted.
  mutating func next() -> WalkedEntry? {
    while true {
      guard let folder = open.last else {
        guard let path = deferred.popLast() else { return nil }
        if let failure = descend(into: path) { return failure }
        continue
      }
      do {
        guard let name = try folder.next() else {
          open.removeLast()
          continue
        }
        if let entry = try visit(name, in: folder) { return entry }
      } catch {
        open.removeLast()
        return Self.unreadable(folder.path, "rest of the folder not read: \(error)")
      }
    }
  }

  /// The entry for a name in a folder; `nil` for a folder, which is entered or deferred.
  private mutating func visit(_ name: EntryPath, in folder: FolderHandle) throws(SystemError) -> WalkedEntry? {
    let path = folder.path.appending(name)
    let kind: EntryKind
    do {
      kind = try folder.kind(of: name, followingLink: false)
    } catch {
      return Self.unreadable(path, "\(error)")
    }
    switch kind {
    case .file:
      return ownFiles.contains(path) ? .skipped(SkippedEntry(path: path, rule: .ownDatabase)) : .file(path)
    case .folder:
      if Self.toolFolders.contains(name) && !includesToolFolders {
        return .skipped(SkippedEntry(path: path, rule: .toolFolder))
      }
      if open.count < Self.openLimit { return descend(into: path) }
      deferred.append(path)
      return nil
    case .link:
      return follow(name, in: folder, path: path)
    case .special:
      return Self.unreadable(path, kind.refusal ?? "")
    }
  }

  private func follow(_ name: EntryPath, in folder: FolderHandle, path: EntryPath) -> WalkedEntry {
    do {
      let kind = try folder.kind(of: name, followingLink: true)
      switch kind {
      case .file: return .file(path)
      case .folder: return .skipped(SkippedEntry(path: path, rule: .folderLink))
      case .link, .special: return Self.unreadable(path, "link to \(kind.refusal ?? "")")
      }
    } catch {
      let destination = folder.destination(ofLink: name)
      return Self.unreadable(path, "broken link to \(destination): \(error)")
    }
  }

  private mutating func descend(into path: EntryPath) -> WalkedEntry? {
    let isRoot = path == .here
    do {
      open.append(try FolderHandle(opening: isRoot ? root : root.appending(path), as: path, followsLink: isRoot))
      return nil
    } catch {
      return Self.unreadable(path, "folder not read: \(error)")
    }
  }

  private static func unreadable(_ path: EntryPath, _ reason: String) -> WalkedEntry {
    .unreadable(FailedEntry(path: path == .here ? EntryPath(".") : path, reason: reason))
  }
}
