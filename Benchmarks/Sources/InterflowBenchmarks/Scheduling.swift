import Dispatch

/// What delivers on a queue. The queue is a scheduler itself here, and not with every other Combine.
func scheduler(for queue: DispatchQueue) -> DispatchQueue { queue }
