import Interflow
import Testing

@Suite struct StressTests {}
