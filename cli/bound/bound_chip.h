#pragma once
// heliolite bound --chip: how to divide a chip between a buffer and compute units, from curves of accesses.
#include <string>
#include <vector>

#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/fusion/cut.h"

namespace heliolite::cli {

class Output;
struct OrojenesisArguments;

// Performance over the share of a chip that its buffer takes, as an SVG picture; both axes linear.

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

// The steps of a network's accesses, with the best cuts or with nothing fused.
std::vector<CurveStep> network_steps(const SegmentedNetwork& network, bool fused);

// Answers for the layer or network of the arguments, whose `chip` is given, and returns the exit code.
int run_chip(const OrojenesisArguments& arguments, const Output& output);

}  // namespace heliolite::cli
