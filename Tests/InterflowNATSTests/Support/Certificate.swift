import Foundation

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
      database = index
      serial = serial
      new_certs_dir = .
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
      "req", "-config", "settings", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=server",
    ])
    try run([
      "ca", "-config", "settings", "-batch", "-selfsign", "-notext", "-keyfile", "key.pem", "-in", "request.pem",
      "-out", "certificate.pem", "-startdate", "20200101000000Z",
      "-enddate", isExpired ? "20200102000000Z" : "20990101000000Z",
    ])
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failure(output: text) }
  }
}
