#pragma once
// One layer's answer of heliolite bound --kind orojenesis, and how it is shown.
#include <optional>
#include <string>
#include <vector>

#include "cli/bound/bound_curves.h"
#include "cli/bound/bound_orojenesis.h"
#include "cli/bound/curve_svg.h"
#include "cli/ui/json.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/raised_curve.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// One layer's curve, of one buffer or of any number of levels. A point holds up to the next one.
struct LayerCurve {
  std::vector<PicturePoint> points;
  std::vector<std::string> by;                // [point]: the bound that says most there: "orojenesis", "hbl", ..
  std::vector<std::vector<std::string>> how;  // [point]: cells of the table that say how it is reached
  std::vector<std::string> headings;          // of these cells
};

// The curve, raised to the bounds of all schedules (engine/bounds/raised_curve.h).
LayerCurve raised(const LayerCurve& curve, const ScheduleBounds& schedules, u64 largest);

// The answer for one layer.
struct LayerAnswer {
  Workload workload;
  OrojenesisOptions options;
  LayerCurve curve;
  std::optional<ScheduleBounds> schedules;  // that the curve holds against too, if it is a bound
  std::vector<PicturePoint> tilings;        // the best known with any tiles, if asked for; falling
  std::vector<LevelBound> levels;           // of the machine, if one was given
  std::vector<LevelDistance> distances;     // of the mapper's answer, if asked for
  std::optional<MappingCloud> cloud;        // random mappings, if asked for
  std::string unit;                         // of buffers and accesses: "words", "bytes" or "bits"

  // Accesses that every execution needs.
  u64 minimum() const { return algorithmic_minimum(workload, options); }
  u64 least() const { return curve.points.back().accesses; }  // accesses of a large buffer
  // Whether no execution lies below the curve.
  bool is_bound() const { return options.words == WordCount::Distinct; }
  u64 effectual() const { return curve.points.back().buffer; }  // no larger buffer helps
  u64 operands() const { return operand_words(workload, options); }
  // What no mapping moves less than with a buffer of exactly this size, and the bound that says so.
  struct Least {
    u64 accesses = 0;
    std::string by;
    std::size_t point = 0;  // of the curve
  };
  Least least_at(u64 buffer) const;
  // The best tiling known for the buffer; none where no iteration fits.
  std::optional<u64> tiling_at(u64 buffer) const;
};

// The answer as text, as JSON (docs/json.md) and as a picture.
std::string layer_text(const LayerAnswer& answer, const OrojenesisArguments& arguments);
Json layer_json(const LayerAnswer& answer, const OrojenesisArguments& arguments);

// The curve as comma-separated text: "buffer_words,accesses,by,best_tiling" and a line for each point, which holds up
// to the next one; the layer's name before it unless that is "".
std::string layer_csv_head(const std::string& unit);
std::string layer_csv(const LayerAnswer& answer, const std::string& layer);
CurvePicture layer_picture(const LayerAnswer& answer);

}  // namespace heliolite::cli
