// The module is called `Combine`, so that the scenarios' sources are those that measure this package.
@_exported import OpenCombine
@_exported import OpenCombineDispatch
