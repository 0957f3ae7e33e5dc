// `import Interflow` alone is enough to write a pipeline and to bridge it.
@_exported import Combine
