import Foundation

enum StandardDescriptors {
  /// Opens `/dev/null` for each of standard input, output and error that the caller has closed.
  ///
  /// Otherwise the next file to be opened would get the descriptor, and the report would be written into it. It is
  /// opened for reading only, so that writing fails.
  static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
