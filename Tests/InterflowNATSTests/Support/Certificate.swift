import Foundation
import InterflowTestSupport

/// A certificate of a test's own for servers of this machine, signed with its own key, and removed with this.
final class Certificate {
  struct Failure: Error { var output: String }

  var file: String { path("certificate.pem") }
  var key: String { path("key.pem") }
  /// Lines of a server's configuration.
  var serverConfiguration: String { "tls { cert_file: \"\(file)\", key_file: \"\(key)\" }" }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("certificate-\(UUID().uuidString)")

  /// - Parameter address: The host for which it is.
  init(address: String = "IP:127.0.0.1", isExpired: Bool = false) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let settings = """
      [ca]
      default_ca = own
      [own]
      database = \(path("index"))
      serial = \(path("serial"))
      new_certs_dir = \(folder.path)
      default_md = sha256
      policy = names
      x509_extensions = extensions
      [names]
      commonName = supplied
      [extensions]
      subjectAltName = \(address)
      basicConstraints = CA:TRUE
      [req]
      distinguished_name = subject
      [subject]
      """
    for (name, text) in [("settings", settings), ("index", ""), ("serial", "01\n")] {
      try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    }
    try run([
      "req", "-config", path("settings"), "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", key, "-out", path("request.pem"), "-subj", "/CN=server",
    ])
    try run([
      "ca", "-config", path("settings"), "-batch", "-selfsign", "-notext", "-keyfile", key, "-in", path("request.pem"),
      "-out", file, "-startdate", "20200101000000Z",
      "-enddate", isExpired ? "20200102000000Z" : "20990101000000Z",
    ])
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func run(_ arguments: [String]) throws {
    let process = try ChildProcess("openssl", arguments, reading: .outputAndErrors)
    let text = String(decoding: process.output?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
    if process.wait() != .exited(0) { throw Failure(output: text) }
  }
}
