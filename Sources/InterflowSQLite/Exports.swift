// `import InterflowSQLite` alone is enough to observe a query in both ways.
@_exported import Combine
@_exported import Interflow
