import CProcessMemory

/// What this process holds of memory.
package enum ProcessMemory {
  /// The bytes that the allocator has handed out on the main thread and not got back.
  package static var allocated: Int { Int(process_memory_allocated()) }

  /// The largest resident size so far, in bytes.
  package static var peak: Int { Int(process_memory_peak()) }
}
