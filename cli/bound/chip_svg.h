#pragma once
// Performance over the share of a chip that its buffer takes, as an SVG picture; both axes linear.
#include <string>
#include <vector>

#include "engine/bounds/curve/provision.h"

namespace heliolite::cli {

struct ChipPictureCurve {
  std::string name;
  std::vector<ProvisionPoint> line;
  Provision best;  // marked
};

struct ChipPicture {
  std::string title;
  std::vector<ChipPictureCurve> curves;
};

std::string chip_svg(const ChipPicture& picture);

}  // namespace heliolite::cli
