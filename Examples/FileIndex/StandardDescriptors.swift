import Foundation

enum StandardDescriptors {
  /// Takes the places of standard input, output and error that the caller left closed.
  ///
  /// The next file to be opened would take them, and the report would go into it. What is put there cannot be written,
  /// so that the loss shows as the error it is.
  static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
