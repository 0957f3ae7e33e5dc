// `import InterflowTracing` alone is enough to trace a pipeline and a sequence.
@_exported import Combine
@_exported import Interflow
