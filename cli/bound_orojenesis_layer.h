#pragma once
// One layer's answer of heliolite bound --kind orojenesis, and how it is shown.
#include <optional>
#include <string>
#include <vector>

#include "cli/bound_curves.h"
#include "cli/bound_orojenesis.h"
#include "cli/curve_svg.h"
#include "cli/json.h"
#include "engine/bounds/orojenesis.h"
#include "engine/bounds/orojenesis_levels.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// One layer's curve, whatever its kind.
struct LayerCurve {
  std::vector<PicturePoint> points;
  std::vector<std::vector<std::string>> how;  // cells of the table, one list a point
  std::vector<std::string> headings;          // of these cells
};

// One boundary of the machine.
struct LevelBound {
  Boundary wall;
  std::optional<u64> least;        // accesses at the wall's capacity
  std::optional<Crossing> mapped;  // the mapper's
  u64 least_for_mapped = 0;        // with the words that the mapping holds
};

struct LayerAnswer {
  Workload workload;
  OrojenesisOptions options;
  LayerCurve curve;
  std::vector<LevelBound> levels;
  std::string unit = "words";

  u64 minimum() const { return curve.points.back().accesses; }
  u64 effectual() const { return curve.points.back().buffer; }  // no larger buffer helps
  u64 operands() const { return operand_words(workload, options); }
};

std::string layer_text(const LayerAnswer& answer, const OrojenesisArguments& arguments);
Json layer_json(const LayerAnswer& answer, const OrojenesisArguments& arguments);
CurvePicture layer_picture(const LayerAnswer& answer);

}  // namespace heliolite::cli
