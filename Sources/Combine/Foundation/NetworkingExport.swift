// On Apple's platforms `import Foundation` includes `URLSession`. Here it is in another module, which source written
// for Apple's platforms does not import.
#if INTERFLOW_FOUNDATION_NETWORKING && canImport(FoundationNetworking)
  @_exported import FoundationNetworking
#endif
