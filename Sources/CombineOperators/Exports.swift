// `import CombineOperators` alone is enough to use the operators.
@_exported import Combine
