@_exported import Interflow
