#pragma once
// Rising staircases over a logarithmic axis as a picture for a page: shares of something, 0 to 100 %.
#include <string>
#include <vector>

namespace heliolite {

// From each point on the line is at its share, until the next one; before the first it is not drawn.
struct PlotLine {
  struct Point {
    double x = 1, share = 0;  // x above 0, ascending
  };
  std::string name;
  std::vector<Point> points;
};

struct LinePlot {
  std::string title;    // for those who cannot see it
  std::string x_title;  // below the axis
  std::vector<PlotLine> lines;
};

// An <svg> element in the colours of page/style.css, with a legend. Lines without points stand in the legend only.
std::string line_plot_svg(const LinePlot& plot);

}  // namespace heliolite
