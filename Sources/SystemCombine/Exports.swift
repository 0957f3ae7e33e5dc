// On Apple's platforms the product `Combine` is the system's own. Not built anywhere else.
@_exported import Combine
