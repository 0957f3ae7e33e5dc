// On Apple's platforms `import Foundation` brings `URLSession` along. Here it lives in a module of its own, and source
// written there does not name it.
#if INTERFLOW_FOUNDATION_NETWORKING && canImport(FoundationNetworking)
  @_exported import FoundationNetworking
#endif
