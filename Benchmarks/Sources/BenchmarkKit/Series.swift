#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Figures at several sizes, and how they grow.
package struct Series: Sendable, Equatable {
  /// What the slope is a slope of.
  package enum Growth: Sendable, Equatable {
    /// Growth for each further one of what is counted along the series: an operator, a subscriber.
    case perUnit(String)
    /// Growth for each tenfold size.
    case perDecade
  }

  package struct Point: Sendable, Equatable {
    package let size: Int
    package let figure: Double

    package init(size: Int, figure: Double) {
      self.size = size
      self.figure = figure
    }
  }

  package let name: String
  package let growth: Growth
  package let points: [Point]
  /// What the slope is to be at most.
  package let goal: Double?

  package init(name: String, growth: Growth, points: [Point], goal: Double? = nil) {
    self.name = name
    self.growth = growth
    self.points = points
    self.goal = goal
  }

  /// The slope of the straight line that fits the points best: zero where there are fewer than two sizes.
  package var slope: Double {
    let places = points.map { point in
      switch growth {
      case .perUnit: Double(point.size)
      case .perDecade: log10(Double(point.size))
      }
    }
    let count = Double(points.count)
    let meanPlace = places.reduce(0, +) / count
    let meanFigure = points.map(\.figure).reduce(0, +) / count
    var covariance = 0.0
    var variance = 0.0
    for (place, point) in zip(places, points) {
      covariance += (place - meanPlace) * (point.figure - meanFigure)
      variance += (place - meanPlace) * (place - meanPlace)
    }
    return variance == 0 ? 0 : covariance / variance
  }
}
