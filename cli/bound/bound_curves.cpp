#include "cli/bound/bound_curves.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/ui/svg_canvas.h"
#include "cli/ui/units.h"
#include "engine/base/mapped.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/model/cost_model.h"
#include "engine/model/running_units.h"
#include "engine/search/baseline/sampler.h"

namespace heliolite::cli {

std::optional<double> unit_bytes(const BoundQuestion& question, const WordUnit& unit) {
  return unit.counts_words() ? question.word_bytes : std::optional(unit.bytes(1));
}

std::vector<const Workload*> asked_about(const Network& network, const Workload* layer) {
  if (layer != nullptr) return {layer};
  return mapped(network.layers, [&](const Layer& each) { return &each.workload; });
}

Diagnostics set_unit(BoundQuestion& question, std::span<const Workload* const> workloads,
                     const std::optional<Architecture>& architecture) {
  for (const Workload* workload : workloads)
    if (architecture)
      if (const auto chain = chain_that_runs(*workload, *architecture); !chain) return chain.errors();
  const Result<WordUnit> unit =
      word_unit(workloads, architecture ? std::optional(architecture->levels.back().word_bits) : std::nullopt);
  if (!unit) return unit.errors();
  question.unit = *unit;
  if (unit->counts_words()) return {};
  if (question.word_bytes || !question.word_sizes.empty()) {
    return {
        second_word_size(**std::ranges::find_if(workloads, [](const Workload* w) { return states_word_bits(*w); }))};
  }
  Result<std::vector<u64>> buffers = read_buffers(question.written, unit->bytes(1));
  if (!buffers) return buffers.errors();
  question.buffers = *std::move(buffers);
  return {};
}

namespace {

constexpr double kWidth = 760, kHeight = 480, kLeft = 80, kRight = 20, kBottom = 60;
constexpr double kTitle = 24, kLegend = 44, kLegendLine = 16;  // heights of the first base lines
constexpr double kEntry = 24;                                  // width of a legend's stroke and its gap
constexpr double kLabel = 11;                                  // size of the labels in the plot
constexpr std::array<const char*, 5> kColours{"#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad", "#b9770e"};

// Whole decades around the values, at least one.
struct Axis {
  int low = 0, high = 1;

  void include(u64 value) {
    const double decade = std::log10(static_cast<double>(std::max<u64>(value, 1)));
    if (!any_) {
      low = static_cast<int>(std::floor(decade));
      high = low + 1;
      any_ = true;
    }
    low = std::min(low, static_cast<int>(std::floor(decade)));
    high = std::max(high, static_cast<int>(std::ceil(decade)));
  }
  double place(u64 value) const {  // 0 .. 1
    return (std::log10(static_cast<double>(std::max<u64>(value, 1))) - low) / (high - low);
  }

 private:
  bool any_ = false;
};

class Drawing {
 public:
  explicit Drawing(const CurvePicture& picture) : picture_(picture) {
    for (const PictureCurve& curve : picture.curves)
      for (const CurveStep& p : curve.steps) include(p);
    for (const PictureMark& mark : picture.marks) include(mark.at);
    for (const CurveStep& p : picture.cloud) include(p);
    for (const PictureWall& wall : picture.walls) x_axis_.include(wall.buffer);
    if (picture.minimum > 0) y_axis_.include(picture.minimum);
    place_legend();
    top_ = legend_.empty() ? kLegend : legend_.back().y + kLegendLine;
  }

  std::string run() {
    text_ = svg_head(kWidth, kHeight, picture_.title);
    label(kLeft, kTitle, "start", fitted(picture_.title, 15, kWidth - kRight - kLeft), 15);
    axes();
    for (const PictureWall& wall : picture_.walls)
      line(x(wall.buffer), top_, x(wall.buffer), kHeight - kBottom, "#999", "4 3");
    if (picture_.minimum > 0) line(kLeft, y(picture_.minimum), kWidth - kRight, y(picture_.minimum), "#999", "1 3");
    for (const CurveStep& p : picture_.cloud)
      text_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"2\" height=\"2\" fill=\"#b9770e\"/>\n",
                           x(p.buffer) - 1, y(p.accesses) - 1);
    for (std::size_t c = 0; c < picture_.curves.size(); ++c) curve(c);
    for (const PictureMark& mark : picture_.marks)
      text_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"none\" stroke=\"black\"><title>{}</title></circle>\n",
          x(mark.at.buffer), y(mark.at.accesses), svg_escaped(mark.name));
    labels();
    return text_ + "</svg>\n";
  }

 private:
  void include(const CurveStep& p) {
    x_axis_.include(p.buffer);
    y_axis_.include(p.accesses);
  }
  double x(u64 buffer) const { return kLeft + x_axis_.place(buffer) * (kWidth - kLeft - kRight); }
  double y(u64 accesses) const { return kHeight - kBottom - y_axis_.place(accesses) * (kHeight - top_ - kBottom); }

  void label(double at_x, double at_y, const char* anchor, const std::string& words, int size) {
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", at_x, at_y,
                         anchor, size, svg_escaped(words));
  }
  void line(double x1, double y1, double x2, double y2, const char* colour, const char* dashes) {
    text_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-dasharray=\"{}\"/>\n", x1,
        y1, x2, y2, colour, dashes);
  }

  void axes() {
    for (int decade = x_axis_.low; decade <= x_axis_.high; ++decade) {
      const double at = kLeft + (kWidth - kLeft - kRight) * (decade - x_axis_.low) / (x_axis_.high - x_axis_.low);
      line(at, top_, at, kHeight - kBottom, "#ddd", "none");
      label(at, kHeight - kBottom + 18, "middle", fmt::format("1e{}", decade), 12);
    }
    for (int decade = y_axis_.low; decade <= y_axis_.high; ++decade) {
      const double at =
          kHeight - kBottom - (kHeight - top_ - kBottom) * (decade - y_axis_.low) / (y_axis_.high - y_axis_.low);
      line(kLeft, at, kWidth - kRight, at, "#ddd", "none");
      label(kLeft - 8, at + 4, "end", fmt::format("1e{}", decade), 12);
    }
    label((kLeft + kWidth - kRight) / 2, kHeight - 18, "middle", fmt::format("buffer [{}]", picture_.unit), 13);
    text_ += fmt::format(
        "<text transform=\"translate(22 {:.1f}) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\">"
        "accesses [{}]</text>\n",
        (top_ + kHeight - kBottom) / 2, picture_.unit);
  }

  void curve(std::size_t c) {
    const PictureCurve& curve = picture_.curves[c];
    const char* colour = kColours[c % kColours.size()];
    std::string path;
    for (const CurveStep& p : curve.steps) {
      if (path.empty()) path = fmt::format("M{:.1f} {:.1f}", x(p.buffer), y(p.accesses));
      else path += fmt::format(" H{:.1f} V{:.1f}", x(p.buffer), y(p.accesses));
    }
    if (!path.empty()) path += fmt::format(" H{:.1f}", kWidth - kRight);
    text_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path, colour);
    text_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"3\" fill=\"{}\"/>\n", legend_[c].x,
                         legend_[c].y - 5, colour);
    label(legend_[c].x + kEntry, legend_[c].y, "start", curve.name, 12);
  }

  // In lines between title and plot.
  void place_legend() {
    LabelPlace next{kLeft, kLegend};
    for (const PictureCurve& curve : picture_.curves) {
      const double width = kEntry + text_width(curve.name, 12) + 16;
      if (next.x > kLeft && next.x + width > kWidth - kRight) next = {kLeft, next.y + kLegendLine};
      legend_.push_back(next);
      next.x += width;
    }
  }

  // Names what is in the plot; the labels keep clear of each other and of the marks, and of lines if they can.
  void labels() {
    Labels places({kLeft, top_, kWidth - kRight, kHeight - kBottom});
    for (const PictureCurve& curve : picture_.curves)
      for (std::size_t i = 0; i < curve.steps.size(); ++i) {
        const double at_x = x(curve.steps[i].buffer), at_y = y(curve.steps[i].accesses);
        const bool last = i + 1 == curve.steps.size();
        const double next_x = last ? kWidth - kRight : x(curve.steps[i + 1].buffer);
        places.avoid({at_x - 1, at_y - 1, next_x + 1, at_y + 1});
        if (!last) places.avoid({next_x - 1, at_y - 1, next_x + 1, y(curve.steps[i + 1].accesses) + 1});
      }
    for (const PictureWall& wall : picture_.walls)
      places.avoid({x(wall.buffer) - 1, top_, x(wall.buffer) + 1, kHeight - kBottom});
    for (const PictureMark& mark : picture_.marks) {
      const double at_x = x(mark.at.buffer), at_y = y(mark.at.accesses);
      places.block({at_x - 4, at_y - 4, at_x + 4, at_y + 4});
    }
    const auto put = [&](double at_x, double at_y, const std::string& words) {
      const LabelPlace place = places.beside(at_x, at_y, words, kLabel);
      text_ += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" stroke=\"white\" stroke-width=\"3\" "
          "paint-order=\"stroke\">{}</text>\n",
          place.x, place.y, kLabel, svg_escaped(words));
    };
    if (picture_.minimum > 0) put(kLeft, y(picture_.minimum) - 5, "algorithmic minimum");
    for (const PictureMark& mark : picture_.marks) put(x(mark.at.buffer) + 2, y(mark.at.accesses) + 4, mark.name);
    for (const PictureWall& wall : picture_.walls) put(x(wall.buffer), top_ + kLabel + 3, wall.name);
  }

  const CurvePicture& picture_;
  Axis x_axis_, y_axis_;
  std::vector<LabelPlace> legend_;  // by curve
  double top_ = 0;                  // of the plot
  std::string text_;
};

}  // namespace

std::string curve_svg(const CurvePicture& picture) { return Drawing(picture).run(); }

std::vector<std::size_t> thinned(std::size_t points, std::size_t most) {
  std::vector<std::size_t> chosen;
  if (points <= most) {
    for (std::size_t i = 0; i < points; ++i) chosen.push_back(i);
    return chosen;
  }
  for (std::size_t k = 0; k < most; ++k) chosen.push_back(k * (points - 1) / (most - 1));
  return chosen;
}

Json curve_json(const std::vector<CurveStep>& points) {
  Json json = Json::array();
  for (const CurveStep& p : points) json.push_back({{"buffer_words", p.buffer}, {"accesses", p.accesses}});
  return json;
}

std::string macs_per(const std::string& unit) { return "MACs/" + unit.substr(0, unit.size() - 1); }

std::string tile_text(const Extents& tile, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t d = 0; d < names.size(); ++d)
    if (tile[d] > 1) text += fmt::format("{}{}{}", text.empty() ? "" : " ", names[d], tile[d]);
  return text.empty() ? "-" : text;
}

std::string tile_text(const Extents& tile, const Workload& workload) {
  const std::vector<std::string> names = names_of(workload.dimensions);
  return tile_text(tile, names);
}

Result<MappingCloud> mapping_cloud(const NestedCurve& curve, const Workload& workload, const Architecture& architecture,
                                   const WordUnit& unit, u64 mappings, u64 seed) {
  const Result<Mapspace> space = resolve(workload, architecture);
  if (!space) return space.errors();
  if (architecture.levels.size() == 1)
    return Diagnostic{"", 0, "--sample", architecture.name + " has one level: nothing crosses a boundary"};
  const CostModel model(workload, architecture);
  const SpaceSample sample = sample_space(*space, model, {.mappings = mappings, .seed = seed});
  const Sampler sampler(*space, model, false, seed);
  MappingCloud cloud;
  cloud.drawn = sample.drawn;
  Mapping mapping;
  for (const u64 number : sample.numbers) {
    sampler.evaluate(number, mapping);
    const LevelDistance outer = level_distances(curve, workload, architecture, model.explain(mapping), unit).back();
    cloud.level = outer.bound.boundary.level;
    cloud.points.push_back({outer.mapping.words, outer.mapping.accesses});
    cloud.distances.push_back(static_cast<double>(outer.mapping.accesses) / static_cast<double>(outer.least_for_held));
  }
  std::ranges::sort(cloud.distances);
  return cloud;
}

std::string cloud_text(const MappingCloud& cloud) {
  std::string text =
      fmt::format("  {} random mappings of {} drawn", grouped(cloud.points.size()), grouped(cloud.drawn));
  if (cloud.points.empty()) return text + ": none fits\n";
  return text + fmt::format(
                    " hold and move outside {}, over the least for what they hold: {:.3f} x at least, {:.3g} x "
                    "in the middle, {:.3g} x at most\n",
                    cloud.level, cloud.distances.front(), cloud.distances[cloud.distances.size() / 2],
                    cloud.distances.back());
}

Json cloud_json(const MappingCloud& cloud) {
  const bool any = !cloud.points.empty();
  return {{"level", cloud.level},
          {"drawn", cloud.drawn},
          {"least_distance", any ? Json(cloud.distances.front()) : Json()},
          {"median_distance", any ? Json(cloud.distances[cloud.distances.size() / 2]) : Json()},
          {"points", curve_json(cloud.points)}};
}

}  // namespace heliolite::cli
