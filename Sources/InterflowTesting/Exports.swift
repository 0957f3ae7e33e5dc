@_exported import Combine
@_exported import Interflow
