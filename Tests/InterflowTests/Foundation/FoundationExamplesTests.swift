#if INTERFLOW_FOUNDATION
  import Foundation
  import Interflow
  import InterflowTestSupport
  import Testing

  /// The examples in the documentation comments of Foundation's sequences, as written there.
  @Suite struct FoundationExamplesTests {
    private let print = ExampleOutput()

    /// Compiled only: what is there to be read depends on the machine.
    private func standardInput() async throws {
      for try await line in FileHandle.standardInput.bytes.lines {
        print(line)
      }
    }

    /// Compiled only: what is there to be read depends on the machine.
    private func hosts() async throws {
      for try await line in URL(fileURLWithPath: "/etc/hosts").lines {
        print(line)
      }
    }

    @Test func notifications() async {
      let renamed = Notification.Name("renamed while a loop waits")
      let task = Task {
        for await notification in NotificationCenter.default.notifications(named: renamed) {
          print(notification.object ?? "nobody")
        }
      }
      await until {
        NotificationCenter.default.post(name: renamed, object: nil)
        return print.lines.isEmpty == false
      }
      #expect(print.lines.first == "nobody")
      task.cancel()
      await task.value
    }

    @Test func characters() async throws {
      let file = try TestFile(Array("ab".utf8))
      let handle = try FileHandle(forReadingFrom: file.url)
      for try await character in handle.bytes.characters {
        print(character)
      }
      #expect(print.lines == ["a", "b"])
    }

    @Test func lines() async throws {
      let file = try TestFile(Array("one\n\ntwo\n".utf8))
      let handle = try FileHandle(forReadingFrom: file.url)
      for try await line in handle.bytes.lines {
        print(line)
      }
      #expect(print.lines == ["one", "two"])
    }

    @Test func linesThatAreEmpty() async throws {
      let file = try TestFile(Array("one\n\ntwo\n".utf8))
      let handle = try FileHandle(forReadingFrom: file.url)
      for try await line in handle.bytes.lines(keepingEmpty: true) {
        print(line.isEmpty ? "(empty)" : line)
      }
      #expect(print.lines == ["one", "(empty)", "two"])
    }

    @Test func unicodeScalars() async throws {
      let file = try TestFile(Array("ab".utf8))
      let handle = try FileHandle(forReadingFrom: file.url)
      for try await scalar in handle.bytes.unicodeScalars {
        print(scalar.value)
      }
      #expect(print.lines == ["97", "98"])
    }
  }

  #if INTERFLOW_FOUNDATION_NETWORKING
    extension FoundationExamplesTests {
      /// Compiled only: it would need a network.
      private func request(_ url: URL) async throws {
        let (bytes, response) = try await URLSession.shared.bytes(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        for try await line in bytes.lines {
          print(line)
        }
      }
    }
  #endif
#endif
